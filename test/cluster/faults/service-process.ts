import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ended, startCommand } from '../../support/command.js';

/** A service process that can be killed and started again at the same address. */
export interface ServiceProcess {
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Shuts the service down in order. */
  stop(): Promise<void>;
}

/** Starts a service on a free port. */
export const startServiceProcess = async (settings: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
  let child: ChildProcess;
  let url = '';
  let port = '0';
  const start = async () => {
    child = startCommand(['serve', '--json'], { ...settings, PORT: port });
    child.stderr!.pipe(process.stderr);
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    ({ url } = JSON.parse(line.toString()) as { url: string });
    ({ port } = new URL(url));
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended(child);
  };
  await start();
  return {
    get url() {
      return url;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    start,
  };
};
