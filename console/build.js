/**
 * Bundles the console into dist/console: files with a hash of their content in the name, each with its brotli form
 * beside it, and the page that names the first script and style sheet.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const sources = ['console/**/*.{ts,tsx,css,html,js}', 'package-lock.json'];
const target = 'dist/console';
const page = join(target, 'index.html');

/** Builds the console if any source has changed since the last build. */
export async function buildConsole() {
  if (isFresh()) return;
  rmSync(target, { recursive: true, force: true });
  const { outputFiles, metafile } = await build({
    entryPoints: ['console/src/main.tsx', 'console/src/style.css'],
    outdir: join(target, 'assets'),
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2023', 'chrome120', 'firefox121', 'safari17.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    sourcemap: 'linked',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.json': 'json' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) write(path, contents);
  const nameOf = (entry) =>
    basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)[0]);
  const html = readFileSync('console/index.html', 'utf8')
    .replace('{{script}}', `/console/assets/${nameOf('console/src/main.tsx')}`)
    .replace('{{style}}', `/console/assets/${nameOf('console/src/style.css')}`)
    .replace('{{preloads}}', preloads(metafile, 'console/src/main.tsx'));
  write(page, Buffer.from(html));
}

/**
 * Returns links that load all that a script imports together with it, instead of one after the other. The style sheet
 * comes first: without it there is no skeleton.
 */
function preloads({ outputs }, entry) {
  const main = Object.keys(outputs).find((path) => outputs[path].entryPoint === entry);
  const found = new Set();
  const follow = (path) => {
    for (const { path: imported, kind } of outputs[path].imports)
      if (kind === 'import-statement' && !found.has(imported)) follow(found.add(imported) && imported);
  };
  follow(main);
  return [...found]
    .map((path) => `<link rel="modulepreload" fetchpriority="low" href="/console/assets/${basename(path)}">`)
    .join('');
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
