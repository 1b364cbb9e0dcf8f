/**
 * Builds the project and runs Jest. Without a path below `test` it checks types and runs the project `postgres`. With
 * paths (of sources, or how they begin) it skips the check of types and chooses the projects that these files belong to.
 * `--watch` runs again at each change. All other arguments are Jest's. The last lines name what failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { enableCompileCache } from 'node:module';
import { join, relative, resolve } from 'node:path';

const own = ['chaos', 'cluster', 'compatibility', 'ops'];
const cache = resolve('node_modules/.cache/device-data-platform');
const args = process.argv.slice(2);
const pathOf = (arg) => `${relative('', arg)}${arg.endsWith('/') ? '/' : ''}`;
const isPath = (arg) => pathOf(arg).startsWith('test/');
const paths = args.filter(isPath).map(pathOf);

if (args.includes('--watch')) {
  const watched = ['src', 'test', 'migrations', 'console/src', 'pages', 'scripts'].map(
    (path) => `--watch-path=${path}`,
  );
  await run('--no-warnings', ...watched, 'test/run.js', ...args.filter((arg) => arg !== '--watch'));
  process.exit();
}

const isChosen = args.some((arg) => arg.startsWith('--selectProjects'));
const isQuick = paths.length > 0 && !isChosen;
const projects = new Set(isQuick ? paths.map(projectOf) : ['postgres']);
if (isQuick && projects.has('cluster') && !process.env.OPENSEARCH_URL) {
  process.stderr.write('The tests of test/cluster need OPENSEARCH_URL, the address of an OpenSearch cluster.\n');
  process.exit(1);
}
// Such runs begin with a copy of a migrated server, and with compiled modules. A debugger needs them uncompiled.
if (isQuick) process.env.DDP_TEST_KEPT ??= join(cache, 'server');
if (isQuick && !inspector.url()) enableCompileCache((process.env.NODE_COMPILE_CACHE ??= join(cache, 'code')));
const isOne = isQuick && paths.length === 1 && existsSync(paths[0]) && paths[0].endsWith('.ts');
if (isOne && /use(World|Service)\(\)/.test(readFileSync(paths[0], 'utf8'))) process.env.DDP_TEST_EARLY = '1';
if (isQuick && projects.has('compatibility')) await run('tools/install.js', 'test/compatibility');
const build = run('build.js', ...(isQuick ? ['--quick'] : []));
const { buildArgv, runCLI } = await import('jest');
await build;

const jestArgs = args.map((arg) => (isPath(arg) ? `/dist/${pathOf(arg).replace(/\.ts$/, '')}` : arg));
if (!isChosen) jestArgs.push('--selectProjects', ...projects);
// Under a debugger, tests run in this process and may stand still.
if (inspector.url()) jestArgs.push('--runInBand', '--testTimeout=2147483647');
else if (isOne && !args.some((arg) => /^(-[iw]|--(runInBand|maxWorkers))/.test(arg))) jestArgs.push('--maxWorkers=1');
const { results } = await runCLI(await buildArgv(jestArgs), [process.cwd()]);
const failed = results.testResults.flatMap(({ testFilePath, testExecError, testResults }) => {
  const file = relative('', testFilePath).replace(/^dist\/(.+)\.js$/, '$1.ts');
  const titles = testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${file} › ${fullName}`);
  return testExecError ? [`${file} did not run`, ...titles] : titles;
});
if (failed.length > 0) {
  const lines = failed.map((line) => `  ${line}\n`).join('');
  process.stderr.write(`\nFailed:\n${lines}`);
  // .ci/run repeats them at its end.
  if (process.env.DDP_TEST_FAILURES) appendFileSync(process.env.DDP_TEST_FAILURES, lines);
}
process.exitCode = results.success ? 0 : 1;
// What tests leave open ends with their worker; here they have none.
if (jestArgs.includes('--runInBand')) process.exit();

function projectOf(path) {
  if (path.split('/').includes('slow')) return 'slow';
  if (path.startsWith('test/cluster/faults')) return 'faults';
  return own.find((area) => `${path}/`.startsWith(`test/${area}/`)) ?? 'postgres';
}

/** Runs a program of Node.js, and ends as it did where it fails. */
async function run(...program) {
  const [code] = await once(spawn(process.execPath, program, { stdio: 'inherit' }), 'exit');
  if (code !== 0) process.exit(code ?? 1);
}
