import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { userOption } from './server-user.js';

export type ServerSettings = Readonly<Record<string, string>>;

/**
 * Starts the server in a session of its own, so that neither Ctrl-C in the terminal nor the death of this process ends
 * it for others. Returns at once; only a connection shows whether it came up. It listens on loopback only.
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
      ...userOption(user),
    }).on('error', () => undefined);
  } finally {
    await log.close();
  }
}

/** Whether a start has failed. This includes a start that another process has overtaken. */
export const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined;

/** Returns the last lines of the server's log, for an error message. */
export async function lastWords({ logFile }: Cluster): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}

/**
 * Chooses the port. The same data get the same port if it is free, below the range that systems assign automatically,
 * so that holders of an address from before a restart find the server again.
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
