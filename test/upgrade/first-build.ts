import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The last commit with the schema of 0.1.0. */
const commit = '6d162478e55cb73aae35dda2bc85d8f673cf9f17';
const checkout = new URL('../../../', import.meta.url).pathname;

/** Whether the cloned history contains that commit. */
export function hasFirstBuild(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: checkout, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds 0.1.0 in a folder and returns the path of its program. It links our dependencies, since the versions are the
 * same.
 */
export async function makeFirstBuild(folder: string): Promise<string> {
  const archive = execFileSync(
    'git',
    ['archive', commit, 'src', 'migrations', 'mikro-orm.config.ts', 'tsconfig.json', 'package.json'],
    {
      cwd: checkout,
      maxBuffer: 2 ** 28,
    },
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [...globSync('{src,migrations}/**/*.ts', { cwd: folder }), 'mikro-orm.config.ts'],
    absWorkingDir: folder,
    outdir: 'dist',
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    tsconfig: join(folder, 'tsconfig.json'),
    logLevel: 'error',
  });
  return join(folder, 'dist/src/main.js');
}
