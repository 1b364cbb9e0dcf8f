import cluster, { type Worker } from 'node:cluster';
import { type Addresses, isToPrimary, type Order, type ToPrimary, type ToWorker } from './message.js';

/** A worker, as the primary sees it. */
export interface Member {
  /** Number of the worker's position, which its replacement takes over. */
  number: number;
  /** Unique identifier of the process. */
  id: number;
  /** Resolves with the worker's addresses once it serves. Rejects when it ends earlier. */
  ready: Promise<Addresses>;
  isReady(): boolean;
  /** Resolves with the exit code or the signal that ended the worker. */
  ended: Promise<number | string>;
  tell(message: ToWorker): void;
  /** Ends the worker at once. */
  kill(): void;
}

/**
 * Starts a worker.
 * @param heed receives the worker's messages, except the one that it serves.
 */
export function startMember(order: Order, heed: (message: ToPrimary) => void): Member {
  const worker = cluster.fork();
  const { number } = order;
  const ended = new Promise<number | string>((resolve) =>
    worker.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? code ?? 'unknown')),
  );
  const ready = Promise.withResolvers<Addresses>();
  let isReady = false;
  // Prevents an unhandled rejection when nobody waits for `ready`. Waiters still get it.
  ready.promise.catch(() => undefined);
  void ended.then((by) => ready.reject(new Error(`Worker ${number} ended before it served (${by}).`)));
  const member: Member = {
    number,
    id: worker.id,
    ready: ready.promise,
    isReady: () => isReady,
    ended,
    tell: (message) => tell(worker, message),
    kill: () => worker.process.kill('SIGKILL'),
  };
  worker.on('message', (message: unknown) => {
    if (!isToPrimary(message)) return;
    if (message.kind === 'hello') member.tell({ kind: 'start', order });
    else if (message.kind === 'ready') {
      isReady = true;
      ready.resolve({ url: message.url, mqttUrl: message.mqttUrl });
    } else if (message.kind === 'failed') ready.reject(new Error(message.message));
    else heed(message);
  });
  // The channel broke. The exit of the worker follows.
  worker.on('error', () => undefined);
  return member;
}

/** Sends a message to a worker. One that is about to end gets none. */
function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
