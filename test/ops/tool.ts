import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, globSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Folder with programs of Debian packages, which `scripts/ops-tools.sh` fills. Without it these tests are skipped. */
const folder = process.env['OPS_TOOLS'];

/** Returns the path of a program from a Debian package. */
export function toolPath(path: string): string {
  if (folder === undefined) throw new Error('OPS_TOOLS is not set.');
  accessSync(join(folder, path));
  return join(folder, path);
}

/** Whether the programs are available. */
export const hasTools = folder !== undefined;

/** Environment with which a program finds the libraries of its package, which is not installed. */
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  LD_LIBRARY_PATH: globSync(join(folder ?? '', 'usr/lib/*-linux-gnu'))[0],
});

/** Starts a program with the libraries of its package. */
export const startTool = (path: string, args: readonly string[]): ChildProcess =>
  spawn(toolPath(path), args, { stdio: 'ignore', env: environment() });

/** Runs a program to its end; returns its output, or throws it on failure. */
export const runTool = (path: string, args: readonly string[], input = ''): Promise<string> =>
  runProgram(toolPath(path), args, {}, input);

/** Runs a program of the machine to its end; returns its output, or throws it on failure. */
export function runProgram(
  program: string,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  input = '',
): Promise<string> {
  const child = spawn(program, args, { stdio: 'pipe', env: { ...environment(), ...settings } });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (written += text));
  // The program may exit before it has read all input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(written) : reject(new Error(written))));
  });
}

/** Returns a free loopback port. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A port has a number.');
  return address.port;
};
