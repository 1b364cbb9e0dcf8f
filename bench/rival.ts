import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Another server, in a process of its own. */
export interface Rival {
  origin: string;
  close(): void;
}

/** Starts a program of the bench's, which says where it listens on its first line. */
export async function startRival(name: string, ...args: string[]): Promise<Rival> {
  const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { origin: `http://127.0.0.1:${port}`, close: () => void child.kill() };
}
