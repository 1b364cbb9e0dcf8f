import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Addresses, Figures } from './service.js';

/** A service that runs with a heap of 512 MB. */
export interface Child extends Addresses {
  /** Returns the measurements since the last call. @throws when the process has ended */
  figures(): Promise<Figures>;
  end(): Promise<void>;
}

/** Starts a service over a database. */
export const startChild = async (databaseUrl: string): Promise<Child> => {
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=512', '--no-warnings', fileURLToPath(new URL('./service.js', import.meta.url))],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  child.send({ databaseUrl });
  const addresses = (await answerOf(child)) as Addresses;
  return {
    ...addresses,
    figures: () => {
      if (child.connected) child.send('figures');
      return answerOf(child) as Promise<Figures>;
    },
    async end() {
      const over = once(child, 'exit');
      if (child.kill('SIGKILL')) await over;
    },
  };
};

const answerOf = async (child: ChildProcess): Promise<unknown> => {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error('The service ended.');
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then((): never => {
    throw new Error('The service ended.');
  });
  try {
    const [answer] = (await Promise.race([once(child, 'message', { signal }), ended])) as [unknown];
    return answer;
  } finally {
    over.abort();
    await ended.catch(() => undefined);
  }
};
