import sql from 'sql-template-tag';
import type { Times } from '#records/answer/hit.js';
import type { Found, Hit } from '#records/record-index.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import { reservedFields } from '#search/field/reserved.js';
import type { InstantRange } from '#search/instant-range.js';
import { all, type Predicate } from '#search/query/predicate.js';
import { type PlannedTree, planTree } from './aggregation/tree.js';
import { readPaths } from './blocks/block-path.js';
import { type BlockRange, blockDays } from './blocks/block-range.js';
import type { FindBlocks } from './blocks/find-blocks.js';
import { withLeaves } from './blocks/leaf-field.js';
import { readHits } from './hits/hits.js';
import {
  asksProducts,
  fresher,
  type PostgresPlan,
  pagesByTime,
  planOf,
  readsRecords,
  rolledScope,
  rollupQuestion,
  totalShown,
  wholeProducts,
  withoutProducts,
} from './postgres-plan.js';
import { productsApart } from './rollup/eligible.js';
import { findLeftOut } from './rollup/left-out.js';
import type { FindSources } from './rollup/sources.js';
import { findSummaries } from './rollup/summaries.js';
import { narrow, type Scope, scan } from './sql/record-scan.js';

/** Dependencies of the execution of a plan. */
export interface Execution {
  readonly reader: QueryReader;
  /** Counts the memory of the answer in bytes. Throws above the limit of a call, or of all calls. */
  readonly weigh: (bytes: number) => void;
  /** Unit of times in sources and sort values. */
  readonly times: Times;
  /** Finds the available rollups; absent if rollups may not answer. */
  readonly sources?: FindSources;
  /** Finds the available blocks; absent if blocks may not answer. */
  readonly blocks?: FindBlocks;
}

/** Executes a plan. */
export const execute = async (plan: PostgresPlan, execution: Execution): Promise<Found> => {
  const { reader, weigh, times } = execution;
  // Records that only blocks hold have single values in JSON as columns.
  const shown = plan.scope.alone ? overLeaves(plan) : plan;
  const found = await timesFound(reader, shown);
  const span = (plan.narrows ? await timeFound(reader, plan.scope, all) : undefined) ?? plan.span;
  const rolled = await aggregatedScope(plan, span, execution);
  const reads = plan.request.aggregations.length > 0 && rolled.rollup === undefined;
  const blocks = reads ? await blockRangeOf(plan, span, execution) : undefined;
  const scope = blocks ? { ...rolled, blocks } : rolled;
  const { fields, query } = blocks ? overLeaves(plan) : reads ? shown : plan;
  const names = { scope: plan.scope, named: shown.named, weigh };
  const shared = { fields, now: plan.now, span, found, times, pace: reader.pace, weigh, names };
  const aggregations = planTree(plan.request.aggregations, scope, query, shared);
  const hits = await readHitPage(shown, execution);
  const answer = await aggregations?.read(reader);
  const total = await totalOf(plan, hits.length, aggregations, execution);
  return { hits: { ...(total && { total }), max_score: null, hits }, ...(answer && { aggregations: answer }) };
};

/** Returns the scope that aggregations read: records, or the rollups that replace them. */
const aggregatedScope = async (
  plan: PostgresPlan,
  span: InstantRange,
  { reader: { rows }, sources, blocks }: Execution,
): Promise<Scope> => {
  if (sources === undefined) return plan.scope;
  const rolled = async (sketched: boolean): Promise<Scope | undefined> => {
    const question = rollupQuestion(plan, span, { sketched, blocks: blocks !== undefined });
    if (question === undefined) return undefined;
    const [found, summaries] = await Promise.all([
      sources(rows, question.deviceIds),
      findSummaries(rows, plan.scope, question.candidate),
    ]);
    const apart = productsApart(question.request, question.candidate, found);
    const leftOut = await findLeftOut(rows, plan.scope, question.candidate, apart, summaries.stale);
    return rolledScope(plan, question, found, summaries, leftOut);
  };
  const exact = await rolled(false);
  const scope = readsRecords(exact) ? fresher(exact, await rolled(true)) : exact;
  if (scope !== undefined) return scope;
  return asksProducts(plan, span) ? withoutProducts(plan.scope, await sources(rows)) : plan.scope;
};

/** Binds a query to fields that blocks have as columns. */
const overLeaves = ({ request, ...context }: PostgresPlan): PostgresPlan =>
  planOf(request, { ...context, fields: withLeaves(context.fields) });

/** Returns the days that are read from blocks. */
const blockRangeOf = async (
  { scope, query, range, now }: PostgresPlan,
  span: InstantRange,
  { reader, blocks }: Execution,
): Promise<BlockRange | undefined> => {
  if (blocks === undefined) return undefined;
  const { deviceIds, productIds } = narrow(scope, [query]).scope;
  const within = { from: Math.max(span.from, range.fromMillis), to: Math.min(span.to, range.toMillis) };
  const { rows } = reader;
  const days = blockDays(
    { deviceIds, everyDevice: deviceIds.length === scope.deviceIds.length, productIds, span: within, now },
    await blocks(rows),
    scope.alone?.spans ?? [],
  );
  return days && { ...days, paths: await readPaths(rows, days.sources) };
};

const readHitPage = async (plan: PostgresPlan, { reader, weigh, times, sources }: Execution): Promise<Hit[]> => {
  const { request, scope, predicates, sort, shown, cursor, pageSpan } = plan;
  const products = sources && pagesByTime(plan) ? wholeProducts(scope, await sources(reader.rows)) : undefined;
  return readHits(reader, {
    scope,
    predicates,
    sort,
    from: request.from,
    size: request.size,
    span: pageSpan,
    source: request.source,
    fields: shown,
    names: { scope, named: plan.named, weigh },
    times,
    weigh,
    ...(cursor && { after: cursor }),
    ...(products && { products }),
  });
};

/**
 * Returns the number of matching records: from the page or the buckets if they show it, else by counting up to the
 * requested limit.
 */
const totalOf = async (
  plan: PostgresPlan,
  shown: number,
  aggregations: PlannedTree | undefined,
  execution: Execution,
): Promise<{ value: number; relation: 'eq' | 'gte' } | undefined> => {
  const { trackTotal, postFilter } = plan.request;
  if (trackTotal === false) return undefined;
  const added = postFilter === undefined ? aggregations?.total() : undefined;
  const total = totalShown(plan, shown) ?? added ?? (await counted(plan, execution, trackTotal));
  return total > trackTotal ? { value: trackTotal, relation: 'gte' } : { value: total, relation: 'eq' };
};

const counted = async (plan: PostgresPlan, execution: Execution, limit: number): Promise<number> => {
  if (plan.scope.deviceIds.length === 0) return 0;
  // Without a condition, rows reach a limit at once.
  const isShort = Number.isFinite(limit) && plan.predicates.every(({ kind }) => kind === 'all');
  const blocks = isShort ? undefined : await blockRangeOf(plan, plan.span, execution);
  const { scope, predicates } = blocks || plan.scope.alone ? overLeaves(plan) : plan;
  const { source, where } = scan({ ...scope, ...(blocks && { blocks }) }, predicates, []);
  const query = Number.isFinite(limit)
    ? sql`select count(*) from (select from ${source} where ${where} limit ${limit + 1}::int) x`
    : sql`select count(*) from ${source} where ${where}`;
  const [row] = await execution.reader.tuples(query);
  return Number(row![0]);
};

/** Reads the time span of the records of each timed aggregation, once per predicate. */
const timesFound = async (
  reader: QueryReader,
  { scope, timed }: PostgresPlan,
): Promise<Map<Aggregation, InstantRange>> => {
  const found = new Map<Aggregation, InstantRange>();
  for (const [predicate, ones] of Map.groupBy(timed, ([, predicate]) => predicate)) {
    const span = await timeFound(reader, scope, predicate);
    if (span !== undefined) for (const [one] of ones) found.set(one, span);
  }
  return found;
};

/** Reads the time span of the matching records; undefined if there are none. */
const timeFound = async (reader: QueryReader, scope: Scope, query: Predicate): Promise<InstantRange | undefined> => {
  if (scope.deviceIds.length === 0) return undefined;
  const { source, where } = scan(scope, [query], [reservedFields.get('ts')!]);
  const [row] = await reader.tuples(
    sql`select extract(epoch from min(r.ts)) * 1000, extract(epoch from max(r.ts)) * 1000 from ${source} where ${where}`,
  );
  const [from, to] = row as [string | null, string | null];
  return from === null || to === null ? undefined : { from: Math.floor(Number(from)), to: Math.floor(Number(to)) };
};
