/**
 * Compiles the project as `tsc` does, with two differences. Each file is written beside its place and renamed, and only
 * where it changed: two builds at once (two `npm start` in one checkout) never let a program load half a file. And
 * compiled files whose source is gone are deleted, so that no test or migration outlives it, and missing ones made anew.
 */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const parsed = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]),
});
const { fileNames, options, errors } = parsed;
const wanted = new Set(fileNames.flatMap((name) => ts.getOutputFileNames(parsed, name, false)));
// A build that was cut off: what it remembers of itself is not to be trusted.
if (![...wanted].every((path) => existsSync(path))) rmSync(options.tsBuildInfoFile, { force: true });
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
sweep();

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

function sweep() {
  for (const name of globSync('**/*.{js,js.map}', { cwd: options.outDir })) {
    const path = join(options.outDir, name);
    if (!wanted.has(path)) rmSync(path, { force: true });
  }
}

function report(diagnostics) {
  if (diagnostics.length === 0) return;
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => '\n',
  };
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(diagnostics, host));
  process.exit(1);
}
