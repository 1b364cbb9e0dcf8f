/**
 * Builds the pages that the service shows besides the console: GraphiQL, bundled into dist/static/graphiql, and Swagger
 * UI, copied to dist/static/swagger-ui. Each file has its brotli form beside it.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const sources = ['pages/**/*.{ts,js}', 'src/graph/examples.ts', 'package-lock.json'];
const target = 'dist/static';
/** Lists the packages whose code the files contain, as paths in package-lock.json. It is written last. */
const packages = join(target, 'packages.json');

const monaco = 'monaco-editor/esm/vs';
const graphiql = {
  graphiql: 'pages/graphiql/main.js',
  'editor.worker': `${monaco}/editor/editor.worker.js`,
  'json.worker': `${monaco}/language/json/json.worker.js`,
  'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
};

/** Builds the pages if any source has changed since the last build. */
export async function buildPages() {
  if (isFresh()) return;
  rmSync(target, { recursive: true, force: true });
  const options = { outdir: join(target, 'graphiql'), bundle: true, minify: true, metafile: true, write: false };
  const scripts = await build({
    ...options,
    entryPoints: graphiql,
    splitting: true,
    format: 'esm',
    target: ['es2023', 'chrome120', 'firefox121', 'safari17.4'],
    chunkNames: 'chunk-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    // GraphiQL's style sheet includes the editor's styles.
    loader: { '.css': 'empty' },
    logLevel: 'warning',
  });
  // Nested rules of the style sheet stay as they are; esbuild would only warn about them.
  const styles = await build({ ...options, entryPoints: { graphiql: 'graphiql/style.css' }, logLevel: 'error' });
  for (const { path, contents } of [...scripts.outputFiles, ...styles.outputFiles]) write(path, contents);
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    write(join(target, 'swagger-ui', name), readFileSync(join(swagger, name)));
  }
  const inputs = [scripts, styles].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const used = new Set(inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]));
  used.delete(undefined);
  used.add('node_modules/swagger-ui-dist');
  writeFileSync(packages, JSON.stringify([...used]));
}

function write(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }));
}

function isFresh() {
  if (!existsSync(packages)) return false;
  const built = statSync(packages).mtimeMs;
  return globSync(sources).every((path) => statSync(path).mtimeMs <= built);
}
