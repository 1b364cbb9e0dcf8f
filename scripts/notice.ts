import { existsSync, globSync, readFileSync } from 'node:fs';

/** A package entry of package-lock.json. */
interface Locked {
  version: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
}

/**
 * Writes the page that names all third-party code with its licenses: packages installed with the service, packages
 * inside the built console according to its source maps, and packages inside the pages of dist/static according to
 * their build.
 */
export function notice(): string {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  const { '': _, ...all } = packages;
  const installed = Object.entries(all).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const inConsole = [...packagesInConsole()].map((path): [string, Locked] => [path, all[path]!]);
  const inPages = packagesInPages().map((path): [string, Locked] => [path, all[path]!]);
  return `# Notices

The service is under the [MIT license](LICENSE). It uses the work of others, each under the license that its package has. Written by \`npm run docs\` from \`package-lock.json\`, the built console and the built pages.

## Installed with the service

${table(installed)}

## Inside the built console

${table(inConsole)}

## Inside the pages of GraphiQL and Swagger UI

${table(inPages)}
`;
}

function packagesInPages(): string[] {
  const list = 'dist/static/packages.json';
  if (!existsSync(list)) throw new Error('The pages are not built: run `npm run build` first.');
  return (JSON.parse(readFileSync(list, 'utf8')) as string[]).sort((one, other) => (one < other ? -1 : 1));
}

function packagesInConsole(): Set<string> {
  const maps = globSync('dist/console/assets/*.map');
  if (maps.length === 0) throw new Error('The console is not built: run `npm run build` first.');
  const sources = maps.flatMap((path) => (JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] }).sources);
  const paths = sources.map((source) => /(node_modules\/(?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(source)?.[1]);
  return new Set(paths.filter((path) => path !== undefined).sort());
}

function table(packages: readonly (readonly [string, Locked])[]): string {
  const rows = packages.map(([path, { version, license }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    if (license === undefined) throw new Error(`${name} has no license in package-lock.json.`);
    return `| ${name} | ${version} | ${license} |`;
  });
  return ['| Package | Version | License |', '|---|---|---|', ...new Set(rows)].join('\n');
}
