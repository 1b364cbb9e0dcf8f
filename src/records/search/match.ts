import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { invalid } from '../../errors.js';
import { locate, type PlainJson } from '../../json.js';
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
    if (!(error instanceof SearchFailure)) throw error;
    throw invalid([{ path: error.place?.path ?? path, message: error.reason }]);
  }
};

/**
 * Of records that this transaction has stored, all of one organization, the identifiers of those that a query matches.
 * A query that cannot be answered (its fields have come to differ in type, or it takes too long) matches nothing, and
 * the transaction goes on as if it had not been asked.
 */
export const matchRecords = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Pick<StoredRecord, 'id' | 'ts' | 'device'>[],
  now: number,
): Promise<ReadonlySet<string>> => {
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
    // Takes the time limit back, too: nothing but reading was done.
    await tx.query('rollback to savepoint matching');
    return new Set(found.map(({ id }) => id));
  } catch (error) {
    await tx.query('rollback to savepoint matching');
    if (error instanceof SearchFailure || isOfQuery(error)) return new Set();
    throw error;
  }
};

/** Whether a statement failed by what it was asked: it was cancelled (57014), or a value or a pattern is wrong (22, 2201B). */
const isOfQuery = (error: unknown): boolean => /^(57014|22)/.test(String((error as { code?: unknown } | null)?.code));
