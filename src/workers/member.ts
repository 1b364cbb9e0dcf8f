import cluster, { type Worker } from 'node:cluster';
import { type Addresses, isToPrimary, type Order, type ToPrimary, type ToWorker } from './message.js';

/** A worker, as its primary sees it. */
export interface Member {
  /** Its number among the workers. */
  number: number;
  /** Known by none before or after it. */
  id: number;
  /** Its addresses, once it serves; rejects with a sentence where it ends before. */
  ready: Promise<Addresses>;
  isReady(): boolean;
  /** Resolves with what ended it: its exit code, or a signal. */
  ended: Promise<number | string>;
  tell(message: ToWorker): void;
  /** Ends it at once. */
  kill(): void;
}

/** Starts a worker. @param heed takes what it tells, beside that it serves */
export function startMember(order: Order, heed: (message: ToPrimary) => void): Member {
  const worker = cluster.fork();
  const { number } = order;
  const ended = new Promise<number | string>((resolve) =>
    worker.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? code ?? 'unknown')),
  );
  const ready = Promise.withResolvers<Addresses>();
  let isReady = false;
  // Whoever waits for it learns of it; nobody may.
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
  // A channel that breaks: the end of the worker follows.
  worker.on('error', () => undefined);
  return member;
}

/** One that is about to end is told nothing. */
function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
