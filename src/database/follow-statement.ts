import { AsyncResource } from 'node:async_hooks';
import type { ClientBase, Pool } from 'pg';

/**
 * Called when a statement is sent. Returns a function that is called with the outcome, or undefined to ignore the
 * statement.
 */
export type FollowStatement = (text: string) => ((error?: Error) => void) | undefined;

type Callback = (error?: Error | null, ...rest: unknown[]) => void;
type Query = (...args: unknown[]) => unknown;

/**
 * Follows the statements of all connections of a pool. It also keeps a waiting caller's asynchronous context: the pool
 * would run the caller's callback in the context of whoever released the connection.
 */
export function followPool(pool: Pool, follow: FollowStatement): void {
  pool.on('connect', (client) => followClient(client, follow));
  const connect = pool.connect.bind(pool) as (callback?: Callback) => unknown;
  const within = (callback?: Callback) => (callback ? connect(AsyncResource.bind(callback)) : connect());
  pool.connect = within as Pool['connect'];
}

/**
 * Follows the statements of a connection, whether given as text, as a configuration object, or as a query object with
 * its own callback.
 */
export function followClient(client: ClientBase, follow: FollowStatement): void {
  const query = client.query.bind(client) as Query;
  const followed: Query = (...args) => {
    const end = follow(textOf(args[0]));
    if (end === undefined) return query(...args);
    const last = args.findLastIndex((argument) => typeof argument === 'function');
    if (last > 0) return query(...args.with(last, ending(args[last] as Callback, end)));
    const [own] = args as [{ callback?: Callback } | undefined];
    if (typeof own?.callback === 'function') own.callback = ending(own.callback, end);
    const answer = query(...args);
    if (answer instanceof Promise)
      answer.then(
        () => end(),
        (error: Error) => end(error),
      );
    return answer;
  };
  client.query = followed as ClientBase['query'];
}

const ending =
  (callback: Callback, end: (error?: Error) => void): Callback =>
  (error, ...rest) => {
    end(error ?? undefined);
    callback(error, ...rest);
  };

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : ((query as { text?: string } | null)?.text ?? '');
