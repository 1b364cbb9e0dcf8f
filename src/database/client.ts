import pg from 'pg';
import { hostsOf, lookForPrimary } from './primary.js';

type ClientClass = typeof pg.Client;
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** in_failed_sql_transaction */
const aborted = '25P02';

/**
 * Returns the class of all connections to an address. It is pg's client with three differences:
 *
 * - if the address names several servers, it connects to the primary,
 * - every failure to connect (a refused login, a certificate, no sockets left) has the SQLSTATE 08001, which
 *   distinguishes it from a wrong statement,
 * - statements in a transaction that an earlier one has failed report that earlier failure. Several statements are in
 *   flight, and the caller may learn of any of them first.
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

/** Replaces errors that only say that the transaction has failed by the cause of the failure. */
function tellCauses(connection: pg.Connection): void {
  let cause: pg.DatabaseError | undefined;
  // This runs before pg's own listener, which rejects the statement.
  connection.prependListener('errorMessage', (error: pg.DatabaseError) => {
    if (error.code !== aborted) cause = error;
    else if (cause) Object.assign(error, cause, { message: cause.message });
  });
}

/** Returns the message of an error, which may hold several attempts (one for each address of a host). */
const sentenceOf = (error: unknown): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map(sentenceOf).join('; ')
    : error instanceof Error
      ? error.message
      : String(error);
