import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The address of the embedded database of a folder. */
export async function embeddedAddress(dataDir: string): Promise<string> {
  const data = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
  const [, , , port] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  const key = await readFile(join(dataDir, 'postgres.key'), 'utf8');
  return `postgresql://ddp:${key.trim()}@127.0.0.1:${port}/ddp`;
}
