import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { invalid } from '../../errors.js';
import { locate, type PlainJson } from '../../json.js';
import { transaction } from '../../transaction.js';
import type { StoredRecord } from '../stored-record.js';
import { SearchFailure } from './failure.js';
import { loadFields } from './field/resolve.js';
import { bindQuery } from './query/bind.js';
import { parseQuery } from './query/parse.js';
import { scan } from './sql/scan.js';
import { Input } from './syntax/input.js';

/** A query may take this long over the records of one transaction, in milliseconds. */
const patience = 2000;

/** Throws 422 for a query that a search would refuse. */
export const requireQuery = (query: PlainJson, path: string): void => {
  try {
    parseQuery(new Input(locate(query), path));
  } catch (error) {
    throw refusal(error, path);
  }
};

const refusal = (error: unknown, path: string): unknown =>
  error instanceof SearchFailure ? invalid([{ path: error.place?.path ?? path, message: error.reason }]) : error;

/**
 * Of records that this transaction has stored, all of one organization, the identifiers of those that a query matches.
 * A query that cannot be answered (its fields have come to differ in type, or it takes too long) matches nothing, and
 * the transaction goes on as if it had not been asked.
 */
export const matchRecords = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Matchable[],
  now: number,
): Promise<ReadonlySet<string>> => (await match(tx, query, records, { now, patience })) ?? new Set();

/** What of a record a query is asked about; the rest is read where it is stored. */
type Matchable = Pick<StoredRecord, 'id' | 'ts'> & { device: Pick<StoredRecord['device'], 'id' | 'organizationId'> };

/** The same of records that are committed, on a connection of its own; undefined where the query cannot be answered in time. */
export const matchStored = (
  pool: Pool,
  query: PlainJson,
  records: readonly Matchable[],
  limits: { now: number; patience: number },
): Promise<ReadonlySet<string> | undefined> => transaction(pool, (tx) => match(tx, query, records, limits));

/** Throws 422, with the engines' reason, for a query that a search of the organization's records would refuse. */
export const requireAnswerable = async (
  pool: Pick<Pool, 'query'>,
  query: PlainJson,
  { organizationId, path, now }: { organizationId: string; path: string; now: number },
): Promise<void> => {
  const rows = async <Row extends object>(statement: Sql) => (await pool.query<Row>(statement)).rows;
  try {
    const parsed = parseQuery(new Input(locate(query), path));
    bindQuery(parsed, { fields: await loadFields(rows, organizationId, []), now });
  } catch (error) {
    throw refusal(error, path);
  }
};

const match = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Matchable[],
  { now, patience }: { now: number; patience: number },
): Promise<ReadonlySet<string> | undefined> => {
  const [first] = records;
  if (!first) return new Set();
  await tx.query('savepoint matching');
  try {
    await tx.query(sql`select set_config('statement_timeout', ${String(patience)}, true)`);
    const rows = async <Row extends object>(statement: Sql) => (await tx.query<Row>(statement)).rows;
    const fields = await loadFields(rows, first.device.organizationId, []);
    const predicate = bindQuery(parseQuery(new Input(locate(query), 'query')), { fields, now });
    const moments = records.map(({ ts }) => ts * 1000);
    const { source, where } = scan(
      {
        organizationId: first.device.organizationId,
        deviceIds: [...new Set(records.map(({ device }) => device.id))],
        productIds: [],
        from: new Date(Math.min(...moments) - 1000).toISOString(),
        to: new Date(Math.max(...moments) + 1000).toISOString(),
      },
      [predicate],
      [],
    );
    const ids = records.map(({ id }) => id);
    const found = await rows<{ id: string }>(
      sql`select r.id from ${source} where ${where} and r.id = any(${ids}::uuid[])`,
    );
    await leave(tx);
    return new Set(found.map(({ id }) => id));
  } catch (error) {
    await leave(tx);
    if (error instanceof SearchFailure || isOfQuery(error)) return undefined;
    throw error;
  }
};

/**
 * Takes the time limit back, too: nothing but reading was done. What the transaction writes next must not be written
 * inside of the savepoint, which no snapshot would list as being under way.
 */
const leave = (tx: PoolClient) => tx.query('rollback to savepoint matching; release savepoint matching');

/** Whether a statement failed by what it was asked: it was cancelled (57014), or a value or a pattern is wrong (22, 2201B). */
const isOfQuery = (error: unknown): boolean => /^(57014|22)/.test(String((error as { code?: unknown } | null)?.code));
