import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { identity } from './server-user.js';

/** Settings of PostgreSQL by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/**
 * Starts the server in a session of its own, so that neither Ctrl-C in our terminal nor our death ends it under others.
 * Returns at once; whether it comes up shows when one connects. It listens on loopback only.
 */
export async function startServer({ data, bin, user, logFile }: Cluster, settings: ServerSettings) {
  const port = await choosePort(data);
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await open(logFile, 'a', 0o600);
  try {
    return spawn(join(bin, 'postgres'), ['-D', data, ...args], {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...identity(user),
    }).on('error', () => undefined);
  } finally {
    await log.close();
  }
}

/** Whether a start has failed; a server that another process was quicker to start counts as a failure too. */
export const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined;

/** The last lines that the server wrote, for a message. */
export async function lastWords({ logFile }: Cluster): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}

/**
 * The same port each time for the same data where it is free, below those that systems hand out by themselves: what
 * still holds an address from before a restart finds the server again.
 */
async function choosePort(data: string): Promise<number> {
  const usual = 16_384 + (createHash('sha256').update(data).digest().readUInt16BE() % 16_384);
  return (await listenOnce(usual)) ?? (await listenOnce(0)) ?? usual;
}

const listenOnce = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : undefined));
    });
  });
