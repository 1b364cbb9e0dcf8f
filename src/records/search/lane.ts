import pg, { type Pool, type PoolClient, type QueryResult } from 'pg';
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

/** How a lane is opened. */
export interface LaneOptions {
  /** How long its first query may take, in milliseconds; most are asked with the same. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The moment to look at: another lane's, by its exported name. */
  readonly snapshot?: string | undefined;
  /** Whether others are to look at the same moment. */
  readonly exported?: boolean;
}

/** A connection inside a read-only transaction that sees one moment of the database. */
export class Lane {
  /** The name by which other lanes can look at the same moment, where it was asked for. */
  name: string | undefined;
  private gone = false;
  /** The statement timeout that is set. */
  private limited: number;

  private constructor(
    private readonly client: PoolClient,
    private readonly timeoutMs: number,
    private readonly stop: () => void,
  ) {
    this.limited = timeoutMs;
  }

  /** Opens a lane in one round trip. */
  static async open(pool: Pool, { timeoutMs, signal, snapshot, exported }: LaneOptions): Promise<Lane> {
    const client = await pool.connect();
    const leave = () => void lane.cancel(pool);
    const lane = new Lane(client, Math.ceil(timeoutMs), () => signal?.removeEventListener('abort', leave));
    signal?.addEventListener('abort', leave, { once: true });
    // The parameters of these commands cannot be such; pg quotes the name, which PostgreSQL made.
    const steps = [
      'begin isolation level repeatable read read only',
      ...(snapshot === undefined ? [] : [`set transaction snapshot ${client.escapeLiteral(snapshot)}`]),
      `set local jit = off`,
      `set local statement_timeout = ${lane.limited}`,
      ...(exported ? ['select pg_export_snapshot() as name'] : []),
      'savepoint opened',
    ];
    try {
      signal?.throwIfAborted();
      // Several statements have several results.
      const results = (await client.query(steps.join('; '))) as unknown as QueryResult<{ name: string }>[];
      lane.name = exported ? results.at(-2)?.rows[0]?.name : undefined;
      return lane;
    } catch (error) {
      lane.gone = true;
      await lane.close();
      throw error;
    }
  }

  /** Runs the work of one query. What it throws leaves the lane usable. */
  async run<T>(timeoutMs: number, work: (reader: Reader) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    try {
      return await work(this.reader(deadline));
    } catch (error) {
      if (!this.gone) {
        await this.client.query('rollback to savepoint opened');
        this.limited = Math.ceil(this.timeoutMs);
      }
      throw isTimeout(error) && !this.gone ? new TimedOut() : error;
    }
  }

  /** Gives the connection back; one whose statement was cancelled from outside is not used again. */
  async close(): Promise<void> {
    this.stop();
    if (!this.gone) await this.client.query('rollback').catch(() => (this.gone = true));
    this.client.release(this.gone);
  }

  private reader(deadline: number): Reader {
    const limit = async () => {
      if (this.gone) throw new CallerGone();
      const left = Math.ceil(deadline - performance.now());
      if (left <= 0) throw new TimedOut();
      // Asked again only when it matters: most queries are one statement of a few milliseconds.
      if (left <= this.limited && left > this.limited * 0.9) return;
      this.limited = left;
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
