import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { invalid } from '../../../errors.js';
import { locate, type PlainJson } from '../../../json.js';
import { SearchFailure } from '../../../search/failure.js';
import { reservedFields } from '../../../search/field/reserved.js';
import { bindQuery } from '../../../search/query/bind.js';
import { parseQuery } from '../../../search/query/parse.js';
import { and, not, or, type Predicate } from '../../../search/query/predicate.js';
import type { Query } from '../../../search/query/query.js';
import { Input } from '../../../search/syntax/input.js';
import { requireWithinLimits } from '../../../search/syntax/limit.js';
import { transaction } from '../../../transaction.js';
import type { Matchable, Matches, MatchLimits } from '../../record-log.js';
import { loadFields, loadFieldsAmong } from './sql/load-fields.js';
import { scan } from './sql/scan.js';

/** Throws 422 for a query that a search would refuse. */
export const requireQuery = (query: PlainJson, path: string): void => {
  try {
    parsed(query, path);
  } catch (error) {
    throw refusal(error, path);
  }
};

/** @throws SearchFailure */
const parsed = (query: PlainJson, path: string): Query => {
  const input = new Input(locate(query), path);
  requireWithinLimits(input);
  return parseQuery(input);
};

const refusal = (error: unknown, path: string): unknown =>
  error instanceof SearchFailure ? invalid([{ path: error.place?.path ?? path, message: error.reason }]) : error;

/**
 * Of records that this transaction has stored, all of one organization, those that a query matches. Each is judged by the
 * types of its own product. Where the query cannot be answered (it does not fit these types, or takes too long), the
 * records match: nobody shall lose records because of it. The transaction goes on as if it had not been asked.
 */
export const matchRecords = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<Matches> => {
  const { found, open, timedOut } = await match(tx, query, records, limits);
  return { ids: new Set([...found, ...open]), open: new Set(open), unanswered: open.length, timedOut };
};

/** The same of records that are committed, on a connection of its own; undefined where the query cannot be answered in time. */
export const matchStored = async (
  pool: Pool,
  query: PlainJson,
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<ReadonlySet<string> | undefined> => {
  const { found, open } = await transaction(pool, (tx) => match(tx, query, records, limits));
  return open.length > 0 ? undefined : found;
};

/** Throws 422, with the engines' reason, for a query that a search of the organization's records would refuse. */
export const requireAnswerable = async (
  pool: Pick<Pool, 'query'>,
  query: PlainJson,
  { organizationId, path, now }: { organizationId: string; path: string; now: number },
): Promise<void> => {
  const rows = async <Row extends object>(statement: Sql) => (await pool.query<Row>(statement)).rows;
  try {
    bindQuery(parsed(query, path), { fields: await loadFields(rows, { organizationId, productIds: [] }), now });
  } catch (error) {
    throw refusal(error, path);
  }
};

/** The identifiers of records that match (`found`), and of records of products whose types the query does not fit (`open`). */
interface MatchResult {
  found: ReadonlySet<string>;
  open: readonly string[];
  timedOut: boolean;
}

const match = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Matchable[],
  { now, timeoutMs }: MatchLimits,
): Promise<MatchResult> => {
  const [first] = records;
  if (!first) return { found: new Set(), open: [], timedOut: false };
  const { organizationId } = first.device;
  await tx.query('savepoint matching');
  try {
    await tx.query(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`);
    const rows = async <Row extends object>(statement: Sql) => (await tx.query<Row>(statement)).rows;
    const fieldsAmong = await loadFieldsAmong(rows, organizationId);
    const parsedQuery = parsed(query, 'query');
    const byProduct = Map.groupBy(records, ({ device }) => device.product?.id);
    const { predicate, refused } = bindAmong([...byProduct.keys()], (products) =>
      bindQuery(parsedQuery, { fields: fieldsAmong(products), now }),
    );
    const open = refused.flatMap((product) => byProduct.get(product)!.map(({ id }) => id));
    const times = records.map(({ ts }) => ts * 1000);
    const { source, where } = scan(
      {
        organizationId,
        deviceIds: [...new Set(records.map(({ device }) => device.id))],
        productIds: [],
        from: new Date(Math.min(...times) - 1000).toISOString(),
        to: new Date(Math.max(...times) + 1000).toISOString(),
      },
      [predicate],
      [],
    );
    const found = await rows<{ id: string }>(sql`select r.id from ${source} where ${where} and ${isAmong(records)}`);
    await leave(tx);
    return { found: new Set(found.map(({ id }) => id)), open, timedOut: false };
  } catch (error) {
    await leave(tx);
    if (error instanceof SearchFailure || isOfQuery(error))
      return { found: new Set(), open: records.map(({ id }) => id), timedOut: isCancelled(error) };
    throw error;
  }
};

/**
 * Records by identifiers. Their range is told too: of a partition that is new, and has no statistics yet, PostgreSQL takes several
 * hundred identifiers to be most of what it has, and would read all of it.
 */
const isAmong = (records: readonly Matchable[]): Sql => {
  const ids = records.map(({ id }) => id).toSorted();
  return sql`r.id = any(${ids}::uuid[]) and r.id between ${ids[0]}::uuid and ${ids.at(-1)}::uuid`;
};

type Product = string | undefined;

/** Binds for all products at once where they agree, which is the cheaper question, else for each; `refused`: where that fails. */
const bindAmong = (
  products: readonly Product[],
  bind: (products: readonly Product[]) => Predicate,
): { predicate: Predicate; refused: readonly Product[] } => {
  const together = attempt(() => bind(products));
  if (together) return { predicate: together, refused: [] };
  const apart = products.map((product) => ({ product, predicate: attempt(() => bind([product])) }));
  return {
    predicate: or(apart.flatMap(({ product, predicate }) => (predicate ? and([ofProduct(product), predicate]) : []))),
    refused: apart.filter(({ predicate }) => !predicate).map(({ product }) => product),
  };
};

const attempt = (bind: () => Predicate): Predicate | undefined => {
  try {
    return bind();
  } catch (error) {
    if (error instanceof SearchFailure) return undefined;
    throw error;
  }
};

const productField = reservedFields.get('product.id')!;

const ofProduct = (product: Product): Predicate =>
  product === undefined
    ? not({ kind: 'exists', field: productField })
    : { kind: 'in', field: productField, values: [product] };

/**
 * Takes the time limit back, too: nothing but reading was done. What the transaction writes next must not be written
 * inside of the savepoint, which no snapshot would list as being under way.
 */
const leave = (tx: PoolClient) => tx.query('rollback to savepoint matching; release savepoint matching');

const isCancelled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '57014';

/** Whether the query is the cause of a failure: it took too long (57014), or a value or a pattern is wrong (22, 2201B). */
const isOfQuery = (error: unknown): boolean => /^(57014|22)/.test(String((error as { code?: unknown } | null)?.code));
