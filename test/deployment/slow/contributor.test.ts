import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { read } from '../deployed.js';

let folder: string;

/** Writes a file of the small project that the build and the runner are tried on. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const compiled = (path: string): Promise<string> => readFile(join(folder, 'dist', path), 'utf8');

function run(script: string, ...args: readonly string[]) {
  const { OPENSEARCH_URL: _url, ...others } = process.env;
  const env = { ...others, DDP_TEST_FAILURES: join(folder, 'failures') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const testFile = (title: string, expected: number) =>
  `import { describe, expect, it } from '@jest/globals';\ndescribe('a sum', () => {\n  it('${title}', () => { expect(1 + 1).toBe(${expected}); });\n});\n`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ddp-project-'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  for (const path of ['build.js', 'test/run.js']) await cp(path, join(folder, path));
  await write('console/build.js', 'export async function buildConsole() {}');
  await write('pages/build.js', 'export async function buildPages() {}');
  await write('package.json', '{ "type": "module" }');
  await write('package-lock.json', '{}');
  const { compilerOptions } = JSON.parse(await read('tsconfig.json')) as { compilerOptions: object };
  await write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { ...compilerOptions, types: [] }, include: ['src', 'test'] }),
  );
  const common = `transform: {}, testRunner: '${resolve('dist/test/support/runner.js')}'`;
  await write(
    'jest.config.js',
    `export default { projects: [
      { displayName: 'postgres', testMatch: ['**/dist/test/**/*.test.js'], testPathIgnorePatterns: ['/slow/'], ${common} },
      { displayName: 'slow', testMatch: ['**/dist/test/**/slow/*.test.js'], ${common} },
    ] };`,
  );
});

beforeEach(async () => {
  await write('src/a.ts', 'export const a: number = 1;\n');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('build.js', () => {
  it('compiles a file that went back to an earlier content and time after a quick build', async () => {
    const earlier = new Date('2026-01-01');
    await utimes(join(folder, 'src/a.ts'), earlier, earlier);
    expect(run('build.js').status).toBe(0);
    await write('src/a.ts', 'export const a: number = 2;\n');
    expect(run('build.js', '--quick').status).toBe(0);
    expect(await compiled('src/a.js')).toContain('a = 2');
    await write('src/a.ts', 'export const a: number = 1;\n');
    await utimes(join(folder, 'src/a.ts'), earlier, earlier);
    expect(run('build.js').status).toBe(0);
    expect(await compiled('src/a.js')).toContain('a = 1');
  });

  it('replaces a compiled file that was changed or deleted by hand', async () => {
    expect(run('build.js').status).toBe(0);
    await write('dist/src/a.js', 'export const a = 3;\n');
    expect(run('build.js').status).toBe(0);
    expect(await compiled('src/a.js')).toContain('a = 1');
    await rm(join(folder, 'dist/src/a.js'));
    expect(run('build.js').status).toBe(0);
    expect(await compiled('src/a.js')).toContain('a = 1');
  });

  it('fails for a wrong type that a quick build let through, until it is right', async () => {
    await write('src/a.ts', `export const a: number = 'one';\n`);
    expect(run('build.js', '--quick').status).toBe(0);
    for (const _ of [1, 2]) {
      const { status, output } = run('build.js');
      expect(status).toBe(1);
      expect(output).toContain('TS2322');
    }
    await write('src/a.ts', 'export const a: number = 1;\n');
    expect(run('build.js').status).toBe(0);
  });

  it('fails for wrong syntax with --quick', async () => {
    await write('src/a.ts', 'export const = 1;\n');
    for (const _ of [1, 2]) {
      const { status, output } = run('build.js', '--quick');
      expect(status).toBe(1);
      expect(output).toContain('src/a.ts');
    }
  });

  it('deletes with --quick the compiled files whose source was deleted', async () => {
    await write('src/b.ts', 'export const b = 1;\n');
    expect(run('build.js', '--quick').status).toBe(0);
    await rm(join(folder, 'src/b.ts'));
    expect(run('build.js', '--quick').status).toBe(0);
    await expect(compiled('src/b.js')).rejects.toThrow('ENOENT');
  });
});

describe('npm test', () => {
  beforeAll(async () => {
    await write('test/sum/sum.test.ts', testFile('is two', 2));
    await write('test/sum/slow/sum.test.ts', testFile('is two in the end', 2));
    await write('test/other/other.test.ts', testFile('is three', 3));
  });

  it.each([
    ['a file', 'test/sum/sum.test.ts', 'is two'],
    ['a file in a folder slow', './test/sum/slow/sum.test.ts', 'is two in the end'],
    ['the beginning of a path', 'test/sum/su', 'is two'],
    ['a folder', 'test/sum/', 'is two'],
  ])('runs %s by the path of its source', (_, path, title) => {
    const { status, output } = run('test/run.js', path, '--verbose');
    expect(output).toContain(`✓ ${title}`);
    expect(output).toContain('Tests:       1 passed, 1 total');
    expect(status).toBe(0);
  });

  it('names what failed in its last lines, and in the file of .ci/run', async () => {
    const { status, output } = run('test/run.js', 'test/other', 'test/sum');
    expect(status).toBe(1);
    const names = '  test/other/other.test.ts › a sum is three\n';
    expect(output).toMatch(new RegExp(`\nFailed:\n${names}$`));
    expect(await readFile(join(folder, 'failures'), 'utf8')).toBe(names);
  });

  it('names a file that does not run', async () => {
    await write('test/broken/broken.test.ts', `import '../../src/absent.js';\n`);
    const { status, output } = run('test/run.js', 'test/broken');
    expect(status).toBe(1);
    expect(output).toMatch(/\nFailed:\n {2}test\/broken\/broken\.test\.ts did not run\n$/);
  });

  it('says what the tests of a cluster need', () => {
    const { status, output } = run('test/run.js', 'test/cluster/search.test.ts');
    expect(status).toBe(1);
    expect(output).toContain('OPENSEARCH_URL');
  });
});
