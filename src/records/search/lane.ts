import pg, { type Pool, type PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import sql from 'sql-template-tag';

/** Runs a query and answers its rows as objects. */
export type Rows = <R extends object>(query: Sql) => Promise<R[]>;

/** What the statements of one query run on: one moment of the database, until a deadline. */
export interface Reader {
  rows: Rows;
  /** Runs a query and answers its rows as arrays, JSON as the text that it is stored as. */
  tuples(query: Sql): Promise<unknown[][]>;
  /** Runs a query of many wide rows, a few hundred at a time, until `take` answers false. */
  batches(query: Sql, take: (rows: unknown[][]) => boolean): Promise<void>;
}

/** The time of a query ran out; its statement was cancelled. */
export class TimedOut extends Error {}

/** Nobody waits for the answer any more. */
class CallerGone extends Error {}

const batchSize = 500;
const fetchBatch = 'fetch forward 500 from hits';
const jsonTypes = new Set<number>([pg.types.builtins.JSON, pg.types.builtins.JSONB]);
const jsonAsText = {
  getTypeParser: (type: number, format?: 'text') =>
    jsonTypes.has(type) ? (text: string) => text : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
} as typeof pg.types;
const queryCanceled = '57014';

/** A connection inside a read-only transaction that sees one moment of the database. */
export class Lane {
  private gone = false;

  private constructor(
    private readonly client: PoolClient,
    private readonly stop: () => void,
  ) {}

  /** @param snapshot the moment to look at: another lane's, by its exported name. */
  static async open(pool: Pool, signal?: AbortSignal, snapshot?: string): Promise<Lane> {
    const client = await pool.connect();
    const leave = () => void lane.cancel(pool);
    const lane = new Lane(client, () => signal?.removeEventListener('abort', leave));
    signal?.addEventListener('abort', leave, { once: true });
    try {
      signal?.throwIfAborted();
      await client.query('begin isolation level repeatable read read only');
      // The parameter of this command cannot be one; pg quotes the name, which PostgreSQL made.
      if (snapshot !== undefined) await client.query(`set transaction snapshot ${client.escapeLiteral(snapshot)}`);
      await client.query(sql`select set_config('jit', 'off', true)`);
      return lane;
    } catch (error) {
      lane.gone = true;
      await lane.close();
      throw error;
    }
  }

  /** The name by which other lanes can look at the same moment. */
  async export(): Promise<string> {
    const { rows } = await this.client.query<{ name: string }>(sql`select pg_export_snapshot() as name`);
    return rows[0]!.name;
  }

  /** Runs the work of one query. What it throws leaves the lane usable. */
  async run<T>(timeoutMs: number, work: (reader: Reader) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    await this.client.query('savepoint query');
    try {
      return await work(this.reader(deadline));
    } catch (error) {
      if (!this.gone) await this.client.query('rollback to savepoint query');
      throw isTimeout(error) && !this.gone ? new TimedOut() : error;
    } finally {
      if (!this.gone) await this.client.query('release savepoint query');
    }
  }

  /** Gives the connection back; one whose statement was cancelled from outside is not used again. */
  async close(): Promise<void> {
    this.stop();
    if (!this.gone) await this.client.query('rollback').catch(() => (this.gone = true));
    this.client.release(this.gone);
  }

  private reader(deadline: number): Reader {
    let limited = Number.POSITIVE_INFINITY;
    const limit = async () => {
      if (this.gone) throw new CallerGone();
      const left = Math.ceil(deadline - performance.now());
      if (left <= 0) throw new TimedOut();
      // Asked again only when it matters: most queries are one statement of a few milliseconds.
      if (left > limited * 0.9) return;
      limited = left;
      await this.client.query(sql`select set_config('statement_timeout', ${`${left}`}, true)`);
    };
    return {
      rows: async <R extends object>(query: Sql) => {
        await limit();
        return (await this.client.query<R>(query)).rows;
      },
      tuples: async (query) => {
        await limit();
        return (
          await this.client.query<unknown[]>({
            text: query.text,
            values: query.values.map(storable),
            rowMode: 'array',
            types: jsonAsText,
          })
        ).rows;
      },
      batches: async (query, take) => {
        await limit();
        const declared = sql`declare hits no scroll cursor for ${query}`;
        await this.client.query({ text: declared.text, values: declared.values.map(storable) });
        const fetch = { text: fetchBatch, rowMode: 'array' as const, types: jsonAsText };
        for (;;) {
          await limit();
          const { rows } = await this.client.query<unknown[]>(fetch);
          if (!take(rows) || rows.length < batchSize) break;
        }
        await this.client.query('close hits');
      },
    };
  }

  /** Ends the running statement through a connection of its own: the pool's may all be busy with searches. */
  private async cancel(pool: Pool): Promise<void> {
    this.gone = true;
    const { processID } = this.client as unknown as { processID: number };
    const other = new pg.Client(pool.options);
    try {
      await other.connect();
      await other.query(sql`select pg_cancel_backend(${processID}::int)`);
    } catch {
      // The statement ends by its own timeout then.
    } finally {
      await other.end();
    }
  }
}

/** PostgreSQL holds no NUL: what has one equals nothing that is stored, and so does what stands in for it. */
const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  return Array.isArray(value) ? value.map(storable) : value;
};

const isTimeout = (error: unknown) => error instanceof pg.DatabaseError && error.code === queryCanceled;
