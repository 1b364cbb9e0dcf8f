import pg from 'pg';
import { hostsOf, lookForPrimary } from './primary.js';

type ClientClass = typeof pg.Client;
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** in_failed_sql_transaction */
const aborted = '25P02';

/**
 * What all our connections to an address are made with: pg's client, save that
 *
 * - of several servers in the address it takes the one that is no standby,
 * - whatever keeps a connection from being made (a refused login, a certificate, no sockets left) has the SQLSTATE 08001, so
 *   that it is told apart from a wrong statement,
 * - statements of a transaction that one before them has ended fail with what ended it. Several are sent at once, and any of
 *   them may be heard of first.
 */
export const clientOf = (connectionString: string): ClientClass => {
  const hosts = hostsOf(connectionString);
  const look = hosts && lookForPrimary(connectionString, hosts);
  return class DatabaseClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | void {
      const connected = this.open();
      if (callback === undefined) return connected;
      connected.then(() => (callback as () => void)(), callback as (error: Error) => void);
    }

    private async open(): Promise<pg.Client> {
      try {
        if (look) Object.assign(this, await look());
        tellCauses(this.connection);
        return await super.connect();
      } catch (cause) {
        throw Object.assign(new Error(sentenceOf(cause), { cause }), { code: '08001' });
      }
    }
  };
};

/** Puts what ended a transaction in the place of errors that say only that it has ended. */
function tellCauses(connection: pg.Connection): void {
  let cause: pg.DatabaseError | undefined;
  // Before pg's own listener, which tells whoever waits for the statement.
  connection.prependListener('errorMessage', (error: pg.DatabaseError) => {
    if (error.code !== aborted) cause = error;
    else if (cause) Object.assign(error, cause, { message: cause.message });
  });
}

/** What went wrong, where an error may hold several tries (one for each address of a host). */
const sentenceOf = (error: unknown): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map(sentenceOf).join('; ')
    : error instanceof Error
      ? error.message
      : String(error);
