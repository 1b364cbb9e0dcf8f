import pg, { type Pool, type PoolClient, type QueryResult } from 'pg';
import type { Sql } from 'sql-template-tag';
import sql from 'sql-template-tag';
import { named } from '../../../named.js';
import { Pace, TimedOut } from '../../../search/pace.js';
import type { StatementNames } from './statement-names.js';

/**
 * Runs a query and answers its rows as objects.
 * @param name of a query whose text is always the same: PostgreSQL keeps it prepared.
 */
export type Rows = <R extends object>(query: Sql, name?: string) => Promise<R[]>;

/** What the statements of one query run on: one snapshot of the database, until a deadline. */
export interface Reader {
  rows: Rows;
  /** For long loops over what was read. */
  readonly pace: Pace;
  /** Runs a query and answers its rows as arrays, JSON as the text that it is stored as. @param name as of {@link Rows} */
  tuples(query: Sql, name?: string): Promise<unknown[][]>;
  /**
   * The same of a query whose plan is good whatever its values are. From the second time on it is prepared, and planned once for
   * each connection: to plan a question of few devices takes twice as long as to answer it.
   */
  prepared(query: Sql): Promise<unknown[][]>;
  /** Runs a query of many wide rows, a few hundred at a time. */
  batches(query: Sql, take: (rows: unknown[][]) => void): Promise<void>;
}

/** What a statement answers is more than may be held: digests and sketches of very many records. */
class TooLarge extends Error {}

/** Nobody waits for the answer any more. */
class CallerGone extends Error {}

const batchSize = 500;
const fetchBatch = 'fetch forward 500 from hits';
const jsonTypes = new Set<number>([pg.types.builtins.JSON, pg.types.builtins.JSONB]);
const jsonAsText = {
  getTypeParser: (type: number, format?: 'text') =>
    jsonTypes.has(type) ? (text: string) => text : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
} as typeof pg.types;
// A plan that is kept is also of partitions that are still empty: it must not read all of them.
const planOnce = 'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off';
const planByValues = 'set local plan_cache_mode = auto; set local enable_seqscan = on';
const queryCanceled = '57014';
const programLimitExceeded = '54000';

/**
 * Bytes of digests and sketches that one statement may answer: in hexadecimal, and laid together, they take several times as
 * much.
 */
export const maxDigestBytes = 32 * 2 ** 20;

/** Reads JSON as the text that it is, and digests and sketches up to so many bytes. @throws TooLarge */
const typesWithin = (bytes: number): typeof pg.types => {
  const bytea: number = pg.types.builtins.BYTEA;
  const read = pg.types.getTypeParser(bytea) as (text: string) => Buffer;
  let left = bytes;
  const readWithin = (text: string): Buffer => {
    // Two digits a byte behind `\x`; nothing else stands for too much (see `laidTogether`).
    left -= text.length / 2 - 1;
    if (left < 0 || text.length === 2) throw new TooLarge();
    return read(text);
  };
  return {
    ...jsonAsText,
    getTypeParser: (type: number, format?: 'text') =>
      type === bytea ? readWithin : (jsonAsText.getTypeParser(type, format) as (text: string) => unknown),
  } as typeof pg.types;
};

/** How a reader is opened. */
export interface SnapshotReaderOptions {
  /** Whose time slices long loops over what was read take. */
  readonly organizationId: string;
  /** How long its first query may take, in milliseconds; most are asked with the same. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The reader whose snapshot to share, opened with `exported`. */
  readonly beside?: SnapshotReader;
  /** Whether others are to share the snapshot. */
  readonly exported?: boolean;
  /** Of one statement; {@link maxDigestBytes} unless given. */
  readonly digestBytes?: number;
  /** Names of statements that are kept prepared; none are unless given. */
  readonly statements?: StatementNames;
}

/** A connection inside a read-only transaction that sees one snapshot of the database. */
export class SnapshotReader {
  private gone = false;
  /** The statement timeout that is set. */
  private limited: number;
  /** Whether statements are planned without their values. */
  private generic = false;
  /** Answers the name by which others can share the snapshot, once the transaction is open. */
  private opened: Promise<string | undefined> = Promise.resolve(undefined);

  private constructor(
    private readonly client: PoolClient,
    private readonly options: SnapshotReaderOptions,
    private readonly stop: () => void,
  ) {
    this.limited = Math.ceil(options.timeoutMs);
  }

  /** Opens a reader. What is asked of it first travels with its beginning, and fails with it. */
  static async open(pool: Pool, options: SnapshotReaderOptions): Promise<SnapshotReader> {
    const { signal, beside, exported = false } = options;
    const snapshot = await beside?.opened;
    signal?.throwIfAborted();
    const client = await pool.connect();
    const leave = () => void reader.cancel(pool);
    const reader = new SnapshotReader(client, options, () => signal?.removeEventListener('abort', leave));
    if (signal?.aborted) {
      client.release();
      signal.throwIfAborted();
    }
    signal?.addEventListener('abort', leave, { once: true });
    reader.opened = reader.begin(snapshot, exported);
    // Whoever asks something of the reader is told.
    reader.opened.catch(() => (reader.gone = true));
    return reader;
  }

  /** Runs the work of one query. What it throws leaves the reader usable. */
  async run<T>(timeoutMs: number, work: (reader: Reader) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    try {
      const [found] = await Promise.all([work(this.reader(deadline)), this.opened]);
      return found;
    } catch (error) {
      if (!this.gone) {
        await this.client.query('rollback to savepoint opened');
        this.limited = Math.ceil(this.options.timeoutMs);
        this.generic = false;
      }
      // The caller's leaving is why it was cancelled.
      this.options.signal?.throwIfAborted();
      throw isTimeout(error) && !this.gone ? new TimedOut() : error;
    }
  }

  /** Gives the connection back; one whose statement was cancelled from outside is not used again. */
  async close(): Promise<void> {
    this.stop();
    if (!this.gone) await this.client.query('rollback').catch(() => (this.gone = true));
    this.client.release(this.gone);
  }

  /** Begins the transaction in one round trip. */
  private async begin(snapshot: string | undefined, exported: boolean): Promise<string | undefined> {
    // The parameters of these commands cannot be such; pg quotes the name, which PostgreSQL made.
    const steps = [
      'begin isolation level repeatable read read only',
      ...(snapshot === undefined ? [] : [`set transaction snapshot ${this.client.escapeLiteral(snapshot)}`]),
      'set local jit = off',
      `set local statement_timeout = ${this.limited}`,
      ...(exported ? ['select pg_export_snapshot() as name'] : []),
      'savepoint opened',
    ];
    // Several statements have several results.
    const results = (await this.client.query(steps.join('; '))) as unknown as QueryResult<{ name: string }>[];
    return exported ? results.at(-2)?.rows[0]?.name : undefined;
  }

  private reader(deadline: number): Reader {
    const limit = async () => {
      if (this.gone) throw new CallerGone();
      const left = Math.ceil(deadline - performance.now());
      if (left <= 0) throw new TimedOut();
      // Set again only when it matters: most queries are one statement of a few milliseconds.
      if (left <= this.limited && left > this.limited * 0.9) return;
      this.limited = left;
      await this.client.query(sql`select set_config('statement_timeout', ${`${left}`}, true)`);
    };
    return {
      pace: new Pace({ ...this.options, deadline }),
      rows: async <R extends object>(query: Sql, name?: string) => {
        await limit();
        this.plan(false);
        return (await this.client.query<R>(name === undefined ? query : named(`search ${name}`, query))).rows;
      },
      tuples: async (query, name) => {
        await limit();
        return this.tuples(query, name, false);
      },
      prepared: async (query) => {
        await limit();
        const name = this.options.statements?.nameOf(query.text);
        return this.tuples(query, name, name !== undefined);
      },
      batches: async (query, take) => {
        await limit();
        this.plan(false);
        const declared = sql`declare hits no scroll cursor for ${query}`;
        const fetch = { text: fetchBatch, rowMode: 'array' as const, types: jsonAsText };
        const [, first] = await Promise.all([
          this.client.query({ text: declared.text, values: declared.values.map(storable) }),
          this.client.query<unknown[]>(fetch),
        ]);
        let { rows } = first;
        take(rows);
        while (rows.length === batchSize) {
          await limit();
          ({ rows } = await this.client.query<unknown[]>(fetch));
          take(rows);
        }
        // What is asked next is queued behind it, and fails where it does.
        this.client.query('close hits').catch(() => undefined);
      },
    };
  }

  private async tuples({ text, values }: Sql, name: string | undefined, generic: boolean): Promise<unknown[][]> {
    this.plan(generic);
    const types = typesWithin(this.options.digestBytes ?? maxDigestBytes);
    const given = { ...(name !== undefined && { name: `search ${name}` }), text, values: values.map(storable) };
    return (await this.client.query<unknown[]>({ ...given, rowMode: 'array', types })).rows;
  }

  /** Says how the statements behind it are planned, in the same packet. */
  private plan(generic: boolean): void {
    if (generic === this.generic) return;
    this.generic = generic;
    // Where it fails, so does the statement behind it.
    this.client.query(generic ? planOnce : planByValues).catch(() => undefined);
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

/** Whether digests and sketches were more than may be held, or more than PostgreSQL puts together as one value (a gigabyte). */
export const isTooLarge = (error: unknown) =>
  error instanceof TooLarge || (error instanceof pg.DatabaseError && error.code === programLimitExceeded);

const isTimeout = (error: unknown) => error instanceof pg.DatabaseError && error.code === queryCanceled;
