import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the lines of `postmaster.pid` of the embedded database in a folder. */
async function linesOf(dataDir: string): Promise<readonly string[]> {
  const data = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
  return (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
}

/** Returns the address of the embedded database in a folder. */
export async function embeddedAddress(dataDir: string): Promise<string> {
  const [, , , port] = await linesOf(dataDir);
  const key = await readFile(join(dataDir, 'postgres.key'), 'utf8');
  return `postgresql://ddp:${key.trim()}@127.0.0.1:${port}/ddp`;
}

/** Returns the process id of the embedded database in a folder, or undefined when none runs. */
export const postmasterOf = (dataDir: string): Promise<number | undefined> =>
  linesOf(dataDir).then(
    ([pid]) => Number(pid),
    () => undefined,
  );
