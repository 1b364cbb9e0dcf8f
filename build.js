/**
 * Compiles the project. `dist` comes from one step alone: each changed file is transpiled by itself (`isolatedModules`
 * lets the compiler refuse what needs more than its own file), so a quick build and a whole one give the same files. The
 * whole one then checks types. Each file is written beside its place and renamed: two builds at once (two `npm start` in
 * one checkout) never let a program load half a file. Compiled files whose source is gone are deleted, so that no test or
 * migration outlives it. Options: `--quick` leaves out the check of types, `--without-console` the bundle of the console.
 */
import { spawnSync } from 'node:child_process';
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
import { basename, dirname, join, relative, resolve } from 'node:path';

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
const tools = ['tsconfig.json', 'package-lock.json', 'build.js'];
const outputs = new Map(fileNames.map((name) => [name, ts.getOutputFileNames(parsed, name, false)]));
/** Exists while the types of the sources are those that a build last found right. */
const stamp = join(options.outDir, '.built');
/** Exists from the first file to the last. Newer tools, or a build that was cut off, transpile everything. */
const transpiled = join(options.outDir, '.transpiled');
const begun = new Date();
if (isInstalled) linkPackages();
sweep();
transpile();
noteCommit();
if (process.argv.includes('--quick') || isFresh()) process.exit(0);
checkTypes();
writeFileSync(stamp, '');
utimesSync(stamp, begun, begun);

/** Whether nothing has changed since the last build that succeeded. */
function isFresh() {
  const built = changedAt(stamp);
  return [...fileNames, ...tools].every((name) => changedAt(name) < built);
}

/**
 * Transpiles the files that changed. A compiled file has the time of its source, so any other time of the source, an
 * earlier one too, and any other hand at the compiled file is noticed.
 */
function transpile() {
  const last = changedAt(transpiled);
  const isStale = tools.some((name) => changedAt(name) >= last);
  const changed = [...outputs].filter(
    ([name, [path, map]]) => path !== undefined && (isStale || changedAt(path) !== changedAt(name) || !existsSync(map)),
  );
  if (changed.length === 0) return;
  rmSync(stamp, { force: true });
  const compilerOptions = {
    ...options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const faults = changed.flatMap(([name, [path, map]]) => {
    const source = { fileName: name, compilerOptions, reportDiagnostics: true };
    const { mtime } = statSync(name);
    const { outputText, sourceMapText, diagnostics } = ts.transpileModule(readFileSync(name, 'utf8'), source);
    if (diagnostics.length > 0) return diagnostics;
    write(map, JSON.stringify({ ...JSON.parse(sourceMapText), sources: [relative(dirname(map), name)] }));
    write(path, outputText);
    utimesSync(path, mtime, mtime);
    return [];
  });
  report(faults);
  if (isStale) {
    writeFileSync(transpiled, '');
    utimesSync(transpiled, begun, begun);
  }
}

/** Leaves the commit for `src/runtime/version.ts`, where Git is there. */
function noteCommit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  if (status === 0) write(join(options.outDir, 'src/commit.txt'), stdout.trim());
}

function checkTypes() {
  const program = ts.createIncrementalProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors });
  const faults = ts.sortAndDeduplicateDiagnostics([
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ]);
  // With `noEmit`, this writes only what the program remembers for the next check. Written before the diagnostics, that
  // would lack them, and each check would check everything.
  program.emit();
  report(faults);
}

/** The compiled tests of compatibility find their packages where the sources do. */
function linkPackages() {
  const link = join(options.outDir, compatibility, 'node_modules');
  if (existsSync(link)) return;
  rmSync(link, { force: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(resolve(compatibility, 'node_modules'), link);
}

/** In whole milliseconds, as `utimes` keeps no more. */
function changedAt(path) {
  return Math.round(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
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

/** Deletes what no source makes any more. */
function sweep() {
  const wanted = new Set([...outputs.values()].flat());
  const left = globSync('**/*.{js,js.map}', {
    cwd: options.outDir,
    exclude: (name) => basename(name) === 'node_modules',
  })
    .filter((name) => !/^(bundle|console|static)\//.test(name))
    .map((name) => join(options.outDir, name))
    .filter((path) => !wanted.has(path));
  for (const path of left) rmSync(path, { force: true });
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
