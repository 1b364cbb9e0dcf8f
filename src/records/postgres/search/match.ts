import type { Pool, PoolClient } from 'pg';
import sql, { join, type Sql } from 'sql-template-tag';
import { invalid } from '#common/errors.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { locate, type PlainJson } from '#json/json.js';
import type { Application } from '#records/record-index.js';
import type { Decided, Matchable, Matches, MatchLimits } from '#records/record-log.js';
import { refusingAttributes } from '#search/field/catalogue.js';
import { reservedFields } from '#search/field/reserved.js';
import { bindQuery } from '#search/query/bind.js';
import { parseQuery } from '#search/query/parse.js';
import { and, not, or, type Predicate } from '#search/query/predicate.js';
import type { Query } from '#search/query/query.js';
import { affirmationOf, refutationOf } from '#search/query/refutation.js';
import { SearchFailure } from '#search/search-failure.js';
import { Input } from '#search/syntax/input.js';
import { requireWithinLimits } from '#search/syntax/limit.js';
import { mayBeAlone, withAlone } from './alone-match.js';
import { loadFields, loadFieldsAmong } from './sql/load-fields.js';
import { scan } from './sql/record-scan.js';
import { condition } from './sql/sql-condition.js';

/** @throws ApiError 422 for a query that a search would refuse */
export const requireQuery = (query: PlainJson, path: string): void => {
  try {
    parseCondition(query, path);
  } catch (error) {
    throw refusal(error, path);
  }
};

/** @throws SearchFailure */
const parseCondition = (query: PlainJson, path: string): Query => {
  const input = new Input(locate(query), path);
  requireWithinLimits(input);
  return parseQuery(input);
};

const refusal = (error: unknown, path: string): unknown =>
  error instanceof SearchFailure ? invalid([{ path: error.place?.path ?? path, message: error.reason }]) : error;

/**
 * Matches a query against records that this transaction has stored, all of one organization. Each record is read by the
 * types of its own product. If the query cannot be answered (it does not fit these types, or takes too long), the
 * records match, so that no records are lost because of it. The transaction continues as if the query had not run.
 */
export const matchRecords = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<Matches> => {
  const { answers, timedOut } = await match(tx, [query], records, limits);
  const { found, open } = answers[0]!;
  return { ids: new Set([...found, ...open]), unanswered: open.length, timedOut };
};

/**
 * Matches several queries against committed records, in one statement on a connection of its own. Returns undefined for
 * each query that cannot be answered, and for all of them if they take too long together.
 */
export const matchStored = async (
  pool: Pool,
  queries: readonly PlainJson[],
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<readonly (ReadonlySet<string> | undefined)[]> => {
  const { answers } = await transaction(pool, (tx) => match(tx, queries, records, limits));
  return answers.map(({ found, open }) => (open.length > 0 ? undefined : found));
};

/**
 * Decides a query over records that this transaction has stored, all of one organization. The transaction continues as
 * if the query had not run.
 */
export const decideRecords = async (
  tx: PoolClient,
  query: PlainJson,
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<Decided> => (await decide(tx, [query], records, limits))[0]!;

/** Decides several queries over committed records, in one statement on a connection of its own. */
export const decideStored = (
  pool: Pool,
  queries: readonly PlainJson[],
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<Decided[]> => transaction(pool, (tx) => decide(tx, queries, records, limits));

const decide = async (
  tx: PoolClient,
  queries: readonly PlainJson[],
  records: readonly Matchable[],
  limits: MatchLimits,
): Promise<Decided[]> => {
  const { answers, timedOut } = await match(tx, [...queries, ...queries], records, limits, (predicate, index) =>
    index < queries.length ? affirmationOf(predicate) : refutationOf(predicate),
  );
  return queries.map((_query, index): Decided => {
    const ids = answers[index]!.found;
    const refuted = answers[queries.length + index]!.found;
    const open = records.flatMap(({ id }) => (ids.has(id) || refuted.has(id) ? [] : [id]));
    return { ids, open: new Set(open), timedOut };
  });
};

/**
 * @throws ApiError 422, with the engines' reason, for a query that a search of the application's records would refuse
 */
export const requireAnswerable = async (
  pool: Queryable,
  query: PlainJson,
  {
    organizationId,
    applicationId,
    withoutAttributes,
    path,
    now,
  }: Application & { withoutAttributes?: boolean | undefined; path: string; now: number },
): Promise<void> => {
  const rows = async <Row extends object>(statement: Sql) => (await pool.query<Row>(statement)).rows;
  try {
    const fields = await loadFields(rows, { organizationId, applicationId, productIds: [] });
    bindQuery(parseCondition(query, path), { fields: withoutAttributes ? refusingAttributes(fields) : fields, now });
  } catch (error) {
    throw refusal(error, path);
  }
};

/**
 * Identifiers of records that match a query (`found`), and of records whose product's types do not fit the query
 * (`open`).
 */
interface Answer {
  found: ReadonlySet<string>;
  open: readonly string[];
}

interface MatchResult {
  /** One answer per query, in order. */
  answers: readonly Answer[];
  timedOut: boolean;
}

const match = async (
  tx: PoolClient,
  queries: readonly PlainJson[],
  records: readonly Matchable[],
  { now, timeoutMs }: MatchLimits,
  formOf: (predicate: Predicate, index: number) => Predicate = (predicate) => predicate,
): Promise<MatchResult> => {
  const [first] = records;
  if (!first) return { answers: queries.map(() => ({ found: new Set(), open: [] })), timedOut: false };
  await tx.query('savepoint matching');
  try {
    await tx.query(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`);
    const rows = async <Row extends object>(statement: Sql) => (await tx.query<Row>(statement)).rows;
    const byProduct = Map.groupBy(records, ({ device }) => device.product?.id);
    const fieldsAmong = await loadFieldsAmong(rows, first.device.organizationId, [...byProduct.keys()]);
    const bound = queries.map((query, index) => {
      const parsedQuery = parseCondition(query, 'query');
      return bindAmong([...byProduct.keys()], (products) =>
        formOf(bindQuery(parsedQuery, { fields: fieldsAmong(products), now }), index),
      );
    });
    const found = await findMatches(
      rows,
      records,
      bound.map(({ predicate }) => predicate),
      now,
    );
    await leave(tx);
    const answers = bound.map(({ refused }, index) => ({
      found: found[index]!,
      open: refused.flatMap((product) => byProduct.get(product)!.map(({ id }) => id)),
    }));
    return { answers, timedOut: false };
  } catch (error) {
    await leave(tx);
    if (!(error instanceof SearchFailure || isOfQuery(error))) throw error;
    const open = records.map(({ id }) => id);
    return { answers: queries.map(() => ({ found: new Set(), open })), timedOut: isCancelled(error) };
  }
};

/**
 * Returns the identifiers of one organization's records that each predicate matches. One statement reads the records
 * once.
 */
const findMatches = async (
  rows: <Row extends object>(statement: Sql) => Promise<Row[]>,
  records: readonly Matchable[],
  predicates: readonly Predicate[],
  now: number,
): Promise<readonly ReadonlySet<string>[]> => {
  const times = records.map(({ ts }) => ts * 1000);
  const scope = {
    organizationId: records[0]!.device.organizationId,
    deviceIds: [...new Set(records.map(({ device }) => device.id))],
    productIds: [],
    from: new Date(Math.min(...times) - 1000).toISOString(),
    to: new Date(Math.max(...times) + 1000).toISOString(),
  };
  const old = records.filter(mayBeAlone(now));
  const { source, where } = scan(
    { ...scope, ...(old.length > 0 && { records: withAlone(scope, old, predicates) }) },
    [predicates.length === 1 ? predicates[0]! : or(predicates)],
    [],
  );
  const which =
    predicates.length === 1
      ? sql`array[0]`
      : sql`array_remove(array[${join(predicates.map((one, index) => sql`case when ${condition(one)} then ${index}::int end`))}], null)`;
  const matches = await rows<{ id: string; which: number[] }>(
    sql`select r.id, ${which} as which from ${source} where ${where} and ${isAmong(records)}`,
  );
  const found = predicates.map(() => new Set<string>());
  for (const { id, which: indexes } of matches) for (const index of indexes) found[index]!.add(id);
  return found;
};

/**
 * Restricts records by identifiers and by their range. A new partition has no statistics yet: PostgreSQL assumes that
 * several hundred identifiers are most of its rows, and would read all of it without the range.
 */
const isAmong = (records: readonly Matchable[]): Sql => {
  const ids = records.map(({ id }) => id).toSorted();
  return sql`r.id = any(${ids}::uuid[]) and r.id between ${ids[0]}::uuid and ${ids.at(-1)}::uuid`;
};

type Product = string | undefined;

/**
 * Binds a query for all products at once if they agree, which makes the cheaper statement, else for each. `refused`
 * lists the products for which binding fails.
 */
const bindAmong = (
  products: readonly Product[],
  bind: (products: readonly Product[]) => Predicate,
): { predicate: Predicate; refused: readonly Product[] } => {
  const together = bindOrUndefined(() => bind(products));
  if (together) return { predicate: together, refused: [] };
  const apart = products.map((product) => ({ product, predicate: bindOrUndefined(() => bind([product])) }));
  return {
    predicate: or(apart.flatMap(({ product, predicate }) => (predicate ? and([ofProduct(product), predicate]) : []))),
    refused: apart.filter(({ predicate }) => !predicate).map(({ product }) => product),
  };
};

const bindOrUndefined = (bind: () => Predicate): Predicate | undefined => {
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
 * Returns to the savepoint, which also resets the time limit; only reads have happened since. Later writes of the
 * transaction must not be inside the savepoint, which no snapshot would list as in progress.
 */
const leave = (tx: PoolClient) => tx.query('rollback to savepoint matching; release savepoint matching');

const isCancelled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '57014';

/** Whether the query caused a failure: it took too long (57014), or a value or a pattern is wrong (22, 2201B). */
const isOfQuery = (error: unknown): boolean => /^(57014|22)/.test(String((error as { code?: unknown } | null)?.code));
