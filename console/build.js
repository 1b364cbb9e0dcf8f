/**
 * Bundles the console into dist/console: files with a hash of their content in the name, each with its brotli form
 * beside it, and the page that names the first script and style sheet.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';

const sources = ['console/**/*.{ts,tsx,css,html,js}', 'package-lock.json'];
const target = 'dist/console';
const page = join(target, 'index.html');
const folder = join(target, 'assets');
const entry = 'console/src/main.tsx';
const targets = ['chrome123', 'firefox127', 'safari17.5'];

/**
 * Files for modules that several screens share. By itself, a bundler makes one of each set of modules that the same
 * screens load: 33 files for the list of devices, which a slow line fetches one round after the other.
 */
const groups = ({ needed, drawing }) => {
  const parts = /src\/(api|browser|format|components(?!\/(map|editor)))\//;
  const dashboard = /screens\/dashboard\/(data|panels|grid|controls|use-board)/;
  return [
    { name: 'base', test: (id) => needed.has(id) },
    { name: 'chart', test: (id) => drawing.has(id) },
    { name: 'parts', test: parts, minShareCount: 2 },
    { name: 'dashboard', test: dashboard, minShareCount: 2 },
  ].map((group, index) => ({ ...group, priority: 4 - index }));
};

/** Builds the console if any source has changed since the last build. */
export async function buildConsole() {
  if (isFresh()) return;
  rmSync(target, { recursive: true, force: true });
  const style = await bundleStyle();
  const scripts = await bundleScripts();
  const html = readFileSync('console/index.html', 'utf8')
    .replace('{{script}}', addressOf(scripts.find(({ isEntry }) => isEntry).fileName))
    .replace('{{style}}', addressOf(style));
  write(join(target, 'screens.json'), Buffer.from(JSON.stringify(screensOf(scripts))));
  // The page is written last: it says that the build is whole.
  write(page, Buffer.from(html));
}

/** Writes the style sheet. Returns its name. */
async function bundleStyle() {
  const { outputFiles } = await build({
    entryPoints: ['console/src/style.css'],
    outdir: folder,
    bundle: true,
    target: targets,
    minify: true,
    sourcemap: 'linked',
    entryNames: '[name]-[hash]',
    write: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) write(path, contents);
  return basename(outputFiles.find(({ path }) => path.endsWith('.css')).path);
}

/** Writes the scripts. Returns what the bundler tells of them. */
async function bundleScripts() {
  const modules = { needed: new Set(), drawing: new Set() };
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    tsconfig: false,
    transform: { target: targets, jsx: { runtime: 'automatic', importSource: 'preact' } },
    preserveEntrySignatures: false,
    plugins: [
      {
        name: 'modules',
        buildEnd() {
          find(this, modules);
        },
      },
    ],
  });
  const { output } = await bundle.generate({
    minify: true,
    sourcemap: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: groups(modules), includeDependenciesRecursively: false },
  });
  await bundle.close();
  for (const { type, fileName, code, source } of output)
    write(join(folder, fileName), Buffer.from(type === 'chunk' ? code : source));
  return output.filter(({ type }) => type === 'chunk');
}

/**
 * Finds the modules that the first script needs, and the components that draw: those that need the library of charts,
 * and those that only they need.
 */
function find(context, { needed, drawing }) {
  const follow = (id, next, found, isWanted) => {
    if (found.has(id) || !isWanted(id)) return;
    found.add(id);
    for (const other of context.getModuleInfo(id)?.[next] ?? []) follow(other, next, found, isWanted);
  };
  follow(resolve(entry), 'importedIds', needed, () => true);
  const isComponent = (id) => id.includes('/src/components/');
  const isDrawing = (id) => drawing.has(id);
  for (const id of context.getModuleIds())
    if (id.includes('node_modules/uplot/'))
      follow(id, 'importers', drawing, (other) => other === id || isComponent(other));
  for (const id of drawing)
    for (const part of context.getModuleInfo(id).importedIds)
      if (isComponent(part) && context.getModuleInfo(part).importers.every(isDrawing)) drawing.add(part);
}

const addressOf = (name) => `/console/assets/${name}`;

/**
 * Returns the scripts that each screen needs, by its path in `console/src/app.tsx`, so that a browser loads all of them
 * with the page. The path `*` stands for all other addresses.
 */
function screensOf(scripts) {
  const byName = new Map(scripts.map((script) => [script.fileName, script]));
  const follow = (name, found, above = []) => {
    // Scripts in a circle run before what they use.
    if (above.includes(name)) throw new Error(`Scripts import each other: ${[...above, name].join(' → ')}`);
    found.add(name);
    for (const imported of byName.get(name).imports) follow(imported, found, [...above, name]);
    return found;
  };
  const main = scripts.find(({ isEntry }) => isEntry).fileName;
  const found = { '*': [...follow(main, new Set())].map(addressOf) };
  const app = readFileSync('console/src/app.tsx', 'utf8');
  for (const [, path, module] of app.matchAll(/path: '([^']+)'[^}]*?import\('\.\/([\w/-]+)\.js'\)/g)) {
    const screen = scripts.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/console/src/${module}.tsx`)));
    found[path] = [...follow(screen.fileName, follow(main, new Set()))].map(addressOf);
  }
  return found;
}

function write(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
  if (path.endsWith('.map')) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }));
}

function isFresh() {
  if (!existsSync(page)) return false;
  const built = statSync(page).mtimeMs;
  return globSync(sources).every((path) => statSync(path).mtimeMs <= built);
}
