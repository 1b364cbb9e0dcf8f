import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Another server, in a separate process. */
export interface Rival {
  origin: string;
  close(): void;
}

/**
 * Starts a program of the bench, which prints its address on its first line. The database's address contains a
 * password, so it is not an argument, which other users of the machine could see.
 */
export async function startRival(name: string, connectionString: string, ...args: string[]): Promise<Rival> {
  const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, DATABASE_URL: connectionString },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { origin: `http://127.0.0.1:${port}`, close: () => void child.kill() };
}
