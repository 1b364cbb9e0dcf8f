import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * Returns the secret in a file. It is created at the first use (32 random bytes as base64url), readable only by its
 * owner. When two processes create it at once, both return the one that was written first.
 */
export async function keepSecret(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(absent);
  if (kept !== undefined) return kept.trim();
  const made = `${path}.${process.pid}`;
  await writeFile(made, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    await link(made, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(made, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
