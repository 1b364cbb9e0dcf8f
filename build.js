/**
 * Compiles the project as `tsc` does, with two differences. Each file is written beside its place and renamed, and only
 * where it changed: two builds at once (two `npm start` in one checkout) never let a program load half a file. And
 * compiled files whose source is gone are deleted, so that no test or migration outlives it, and missing ones made anew.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

// Without the dependencies for development, what was built before is run as it is.
const ts = await import('typescript').then(
  (module) => module.default,
  (error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    if (existsSync('dist/.built')) process.exit(0);
    process.stderr.write('Nothing is built yet: run `npm ci && npm run build` before `npm ci --omit=dev`.\n');
    process.exit(1);
  },
);

// The documents of the console are made by compiled code: see `npm run docs`.
if (!process.argv.includes('--without-console')) await (await import('./console/build.js')).buildConsole();
await (await import('./pages/build.js')).buildPages();

const parsed = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
});
const { options, errors } = parsed;
// Its packages are installed by `npm run test:compatibility` alone.
const compatibility = 'test/compatibility';
const isInstalled = existsSync(`${compatibility}/node_modules/.package-lock.json`);
if (isInstalled) parsed.fileNames.push(...globSync(`${compatibility}/*.ts`).map((name) => resolve(name)));
const { fileNames } = parsed;
const wanted = new Set(fileNames.flatMap((name) => ts.getOutputFileNames(parsed, name, false)));
const isWhole = [...wanted].every((path) => existsSync(path));
// Of our own: an editor's or a plain `tsc --noEmit` writes tsc's file as well, and compiles nothing.
const stamp = join(options.outDir, '.built');
const begun = new Date();
if (isInstalled) linkPackages();
if (sweep() === 0 && isWhole && isFresh()) process.exit(0);
// A build that was cut off: what it remembers of itself is not to be trusted.
if (!isWhole) rmSync(options.tsBuildInfoFile, { force: true });
const program = ts.createIncrementalProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors });
const written = program.emit(undefined, write);
const faults = [
  ...program.getConfigFileParsingDiagnostics(),
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...program.getSyntacticDiagnostics(),
  ...program.getSemanticDiagnostics(),
  ...written.diagnostics,
];
report(ts.sortAndDeduplicateDiagnostics(faults));
writeFileSync(stamp, '');
utimesSync(stamp, begun, begun);

/** Whether nothing has changed since the last build that succeeded. */
function isFresh() {
  const built = changedAt(stamp);
  return [...fileNames, 'tsconfig.json', 'package-lock.json', 'build.js'].every((name) => changedAt(name) < built);
}

/** The compiled tests of compatibility find their packages where the sources do. */
function linkPackages() {
  const link = join(options.outDir, compatibility, 'node_modules');
  if (existsSync(link)) return;
  rmSync(link, { force: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(resolve(compatibility, 'node_modules'), link);
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function write(path, text) {
  if (existing(path) === text) return;
  const partial = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(partial, text);
  renameSync(partial, path);
}

function existing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Deletes what no source makes any more, and gives how many that were. */
function sweep() {
  const left = globSync('**/*.{js,js.map}', {
    cwd: options.outDir,
    exclude: (name) => basename(name) === 'node_modules',
  })
    .filter((name) => !/^(bundle|console|static)\//.test(name))
    .map((name) => join(options.outDir, name))
    .filter((path) => !wanted.has(path));
  for (const path of left) rmSync(path, { force: true });
  return left.length;
}

function report(diagnostics) {
  if (diagnostics.length === 0) return;
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => '\n',
  };
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(diagnostics, host));
  // The next build is not to take this one for a success.
  rmSync(stamp, { force: true });
  process.exit(1);
}
