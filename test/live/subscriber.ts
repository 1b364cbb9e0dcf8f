import { createClient, type ExecutionResult } from 'graphql-sse';
import { type Client, createClient as createSocketClient } from 'graphql-ws';

/** The events that a subscription has received so far. */
export interface Heard {
  readonly results: readonly ExecutionResult<Record<string, any>>[];
  /** The errors or close event at its end; undefined when it completed. */
  readonly fault?: any;
  readonly over: boolean;
}

/** A subscription as a client sees it. */
export interface Subscriber extends Heard {
  /** Resolves when `holds` is true; throws after thirty seconds with the events so far. */
  until(holds: (heard: Heard) => boolean): Promise<Heard>;
  leave(): void;
}

type Sink = { next(result: any): void; error(fault: unknown): void; complete(): void };

/** An operation of a subscription. */
export interface Wanted {
  query: string;
  variables?: Record<string, unknown>;
}

/** Collects the events of a subscription. */
export function listenTo(begin: (sink: Sink) => () => void): Subscriber {
  const results: ExecutionResult<Record<string, any>>[] = [];
  const watchers = new Set<() => void>();
  const state: { fault?: unknown; over: boolean } = { over: false };
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  const leave = begin({
    next(result) {
      results.push(result);
      look();
    },
    error(fault) {
      state.fault = fault;
      state.over = true;
      look();
    },
    complete() {
      state.over = true;
      look();
    },
  });
  const subscriber: Subscriber = {
    results,
    get fault() {
      return state.fault;
    },
    get over() {
      return state.over;
    },
    leave,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          watchers.delete(watcher);
          reject(new Error(`This did not come: ${holds.toString()}\nHeard: ${JSON.stringify({ results, ...state })}`));
        }, 30_000);
        const watcher = () => {
          if (!holds(subscriber)) return;
          clearTimeout(late);
          watchers.delete(watcher);
          resolve(subscriber);
        };
        watchers.add(watcher);
        watcher();
      }),
  };
  return subscriber;
}

/** A WebSocket client that connects once, without retries. */
export const socketClient = (url: string, token?: string): Client =>
  createSocketClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    retryAttempts: 0,
    lazyCloseTimeout: 0,
    ...(token !== undefined && { connectionParams: { authorization: `Bearer ${token}` } }),
  });

/** Subscribes over WebSocket. */
export const overSocket = (url: string, token: string | undefined, wanted: Wanted): Subscriber =>
  listenTo((sink) => socketClient(url, token).subscribe(wanted, sink));

/** Subscribes over server-sent events. */
export const overEvents = (url: string, token: string | undefined, wanted: Wanted): Subscriber =>
  listenTo((sink) =>
    createClient({
      url: `${url}/graphql`,
      retryAttempts: 0,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    }).subscribe(wanted, sink),
  );
