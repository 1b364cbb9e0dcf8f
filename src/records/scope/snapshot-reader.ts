import pg, { type Pool, type PoolClient, type QueryResult } from 'pg';
import type { Sql } from 'sql-template-tag';
import sql from 'sql-template-tag';
import type { BinaryReader } from '#database/binary-reader.js';
import { cancelStatement } from '#database/cancel-statement.js';
import { copyRows } from '#database/copy-out.js';
import { namedStatement } from '#database/named-statement.js';
import type { StatementNames } from '#records/postgres/search/statement-names.js';
import { Pace, TimedOut } from '#search/pace.js';

/**
 * Runs a query and returns its rows as objects.
 * @param name of a query whose text never changes: PostgreSQL keeps it prepared.
 */
export type Rows = <R extends object>(query: Sql, name?: string) => Promise<R[]>;

/** Runs the statements of one query on one snapshot of the database, until a deadline. */
export interface QueryReader {
  rows: Rows;
  /** Pace of long loops over the rows. */
  readonly pace: Pace;
  /** Runs a query and returns its rows as arrays, with JSON as text. @param name as in {@link Rows} */
  tuples(query: Sql, name?: string): Promise<unknown[][]>;
  /**
   * Does the same for a query whose plan suits all values. From its second run on, each connection prepares and plans
   * it only once: planning a query about few devices takes twice as long as running it.
   */
  prepared(query: Sql): Promise<unknown[][]>;
  /** Runs a query of many wide rows and takes them a few hundred at a time. */
  batches(query: Sql, take: (rows: unknown[][]) => void): Promise<void>;
  /** Runs a query without parameters, and reads its rows in PostgreSQL's binary format. */
  copy: Copy;
}

/** Reads the rows of a query without parameters by binary COPY. */
export type Copy = <Row>(query: string, read: (fields: BinaryReader) => Row) => Promise<Row[]>;

/** Thrown if the digests and sketches of a result exceed their limit. */
class TooLarge extends Error {}

/** Thrown after the caller has disconnected. */
class CallerGone extends Error {}

const batchSize = 500;
const fetchBatch = 'fetch forward 500 from hits';
const jsonTypes = new Set<number>([pg.types.builtins.JSON, pg.types.builtins.JSONB]);
const jsonAsText = {
  getTypeParser: (type: number, format?: 'text') =>
    jsonTypes.has(type) ? (text: string) => text : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
} as typeof pg.types;
// A kept plan also covers partitions that were still empty when it was made: it must not read all of them sequentially.
// Nor may it start parallel workers, as it does for partitions of two million records, whose rows it expects to be a
// hundred times as many: twenty dashboards of six panels took 469 ms with them.
const planOnce =
  'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0';
const planByValues =
  'set local plan_cache_mode = auto; set local enable_seqscan = on; set local max_parallel_workers_per_gather to default';
const queryCanceled = '57014';
const programLimitExceeded = '54000';

/**
 * Maximum bytes of digests and sketches that one statement may return. While they are read as hexadecimal and
 * concatenated, they take several times as much memory.
 */
export const maxDigestBytes = 32 * 2 ** 20;

/** Returns parsers that keep JSON as text and read at most `bytes` of digests and sketches. @throws TooLarge */
const typesWithin = (bytes: number): typeof pg.types => {
  const bytea: number = pg.types.builtins.BYTEA;
  const read = pg.types.getTypeParser(bytea) as (text: string) => Buffer;
  let left = bytes;
  const readWithin = (text: string): Buffer => {
    // Two digits per byte, after `\x`. Empty bytes stand for an exceeded limit (see `laidTogether`).
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

export interface SnapshotReaderOptions {
  /** Organization whose time slices the long loops use. */
  readonly organizationId: string;
  /** Timeout of the first query in milliseconds; most later queries use the same. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Reader whose snapshot is shared; it was opened with `exported`. */
  readonly beside?: SnapshotReader;
  /** Whether other readers will share the snapshot. */
  readonly exported?: boolean;
  /** Maximum per statement; {@link maxDigestBytes} by default. */
  readonly digestBytes?: number;
  /** Names of prepared statements; without it, none are prepared. */
  readonly statements?: StatementNames;
}

/** A connection inside a read-only transaction that sees one snapshot of the database. */
export class SnapshotReader {
  private gone = false;
  /** Statement timeout currently set, in milliseconds. */
  private limited: number;
  /** Whether statements are currently planned without their values. */
  private generic = false;
  /** Resolves to the name under which others can share the snapshot, once the transaction is open. */
  private opened: Promise<string | undefined> = Promise.resolve(undefined);

  private constructor(
    private readonly client: PoolClient,
    private readonly options: SnapshotReaderOptions,
    private readonly stop: () => void,
  ) {
    this.limited = Math.ceil(options.timeoutMs);
  }

  /**
   * Opens a reader. The first statement is sent together with the start of the transaction, and fails if that fails.
   */
  static async open(pool: Pool, options: SnapshotReaderOptions): Promise<SnapshotReader> {
    const { signal, beside, exported = false } = options;
    const snapshot = await beside?.opened;
    signal?.throwIfAborted();
    const client = await pool.connect();
    const leave = () => {
      reader.gone = true;
      void cancelStatement(pool, client);
    };
    const reader = new SnapshotReader(client, options, () => signal?.removeEventListener('abort', leave));
    if (signal?.aborted) {
      client.release();
      signal.throwIfAborted();
    }
    signal?.addEventListener('abort', leave, { once: true });
    reader.opened = reader.begin(snapshot, exported);
    // The first use of the reader reports this error.
    reader.opened.catch(() => (reader.gone = true));
    return reader;
  }

  /** Runs the work of one query. The reader stays usable if the work throws. */
  async run<T>(timeoutMs: number, work: (reader: QueryReader) => Promise<T>): Promise<T> {
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
      // The statement was cancelled because the caller disconnected.
      this.options.signal?.throwIfAborted();
      throw isTimeout(error) && !this.gone ? new TimedOut() : error;
    }
  }

  /** Returns the connection to the pool, or discards it if its statement was cancelled from outside. */
  async close(): Promise<void> {
    this.stop();
    if (!this.gone) await this.client.query('rollback').catch(() => (this.gone = true));
    this.client.release(this.gone);
  }

  /** Begins the transaction in one round trip. */
  private async begin(snapshot: string | undefined, exported: boolean): Promise<string | undefined> {
    // These commands accept no parameters; pg quotes the name, which PostgreSQL made.
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

  private reader(deadline: number): QueryReader {
    const limit = async () => {
      if (this.gone) throw new CallerGone();
      const left = Math.ceil(deadline - performance.now());
      if (left <= 0) throw new TimedOut();
      // Set again only if it has changed enough: most queries are one statement of a few milliseconds.
      if (left <= this.limited && left > this.limited * 0.9) return;
      this.limited = left;
      await this.client.query(sql`select set_config('statement_timeout', ${`${left}`}, true)`);
    };
    return {
      pace: new Pace({ ...this.options, deadline }),
      rows: async <R extends object>(query: Sql, name?: string) => {
        await limit();
        this.plan(false);
        return (await this.client.query<R>(name === undefined ? query : namedStatement(`search ${name}`, query))).rows;
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
        // The next statement is queued after it, and fails if it fails.
        this.client.query('close hits').catch(() => undefined);
      },
      copy: async (query, read) => {
        await limit();
        this.plan(false);
        return copyRows(this.client, query, read);
      },
    };
  }

  private async tuples({ text, values }: Sql, name: string | undefined, generic: boolean): Promise<unknown[][]> {
    this.plan(generic);
    const types = typesWithin(this.options.digestBytes ?? maxDigestBytes);
    const given = { ...(name !== undefined && { name: `search ${name}` }), text, values: values.map(storable) };
    return (await this.client.query<unknown[]>({ ...given, rowMode: 'array', types })).rows;
  }

  /** Sets how the next statements are planned, in the same packet as the next one. */
  private plan(generic: boolean): void {
    if (generic === this.generic) return;
    this.generic = generic;
    // If it fails, the next statement fails too.
    this.client.query(generic ? planOnce : planByValues).catch(() => undefined);
  }
}

/**
 * Replaces NUL, which PostgreSQL cannot store. A text with NUL equals no stored value, and neither does its
 * replacement.
 */
const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  return Array.isArray(value) ? value.map(storable) : value;
};

/** Whether digests and sketches exceeded their limit, or PostgreSQL's limit for one value (a gigabyte). */
export const isTooLarge = (error: unknown) =>
  error instanceof TooLarge || (error instanceof pg.DatabaseError && error.code === programLimitExceeded);

const isTimeout = (error: unknown) => error instanceof pg.DatabaseError && error.code === queryCanceled;
