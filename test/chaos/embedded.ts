import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The lines of `postmaster.pid` of the embedded database of a folder. */
async function linesOf(dataDir: string): Promise<readonly string[]> {
  const data = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
  return (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
}

/** The address of the embedded database of a folder. */
export async function embeddedAddress(dataDir: string): Promise<string> {
  const [, , , port] = await linesOf(dataDir);
  const key = await readFile(join(dataDir, 'postgres.key'), 'utf8');
  return `postgresql://ddp:${key.trim()}@127.0.0.1:${port}/ddp`;
}

/** The first process of the embedded database of a folder; undefined where none runs. */
export const postmasterOf = (dataDir: string): Promise<number | undefined> =>
  linesOf(dataDir).then(
    ([pid]) => Number(pid),
    () => undefined,
  );
