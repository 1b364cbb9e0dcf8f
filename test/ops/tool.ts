import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, globSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Where the programs of Debian's packages are, which `scripts/ops-tools.sh` puts there; undefined: these tests are skipped. */
const folder = process.env['OPS_TOOLS'];

/** The path of a program of Debian's. */
export function toolPath(path: string): string {
  if (folder === undefined) throw new Error('OPS_TOOLS is not set.');
  accessSync(join(folder, path));
  return join(folder, path);
}

/** Whether the programs are there. */
export const hasTools = folder !== undefined;

/** What a program finds its libraries by: those of the packages are not installed. */
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  LD_LIBRARY_PATH: globSync(join(folder ?? '', 'usr/lib/*-linux-gnu'))[0],
});

/** Starts a program with libraries of its packages. */
export const startTool = (path: string, args: readonly string[]): ChildProcess =>
  spawn(toolPath(path), args, { stdio: 'ignore', env: environment() });

/** Runs a program to its end; gives what it wrote, and throws that where it failed. */
export function runTool(path: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(toolPath(path), args, { stdio: 'pipe', env: environment() });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (written += text));
  // It may end without reading all.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(written) : reject(new Error(written))));
  });
}

/** A port of loopback that nothing listens at. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A port has a number.');
  return address.port;
};
