import type { Aggregation } from '../../../search/aggregation/aggregation.js';
import { type BoundRequest, bindRequest } from '../../../search/bound-request.js';
import type { TimeRange } from '../../../search/envelope.js';
import type { Fields } from '../../../search/field/field.js';
import type { Pace } from '../../../search/pace.js';
import type { Span } from '../../../search/span.js';
import type { Times } from '../../answer/hit.js';
import { timedOutAnswer } from '../../answer/search-call.js';
import { type CallScope, noLook, readScope } from '../../postgres/search/call-scope.js';
import type { Snapshot } from '../../postgres/search/snapshot.js';
import type { Rows } from '../../postgres/search/snapshot-reader.js';
import { narrow } from '../../postgres/search/sql/scan.js';
import type { SearchCall } from '../../record-index.js';
import type { EngineAnswer, EngineRange, EngineSearch, Part } from '../engine.js';
import { DeviceQuestions } from './device-question.js';
import { DeviceValues, loadDeviceValues } from './device-value.js';
import { failureOf } from './failure.js';
import { EngineFields } from './field.js';
import { loadOlderTypes } from './older-type.js';
import { attempt, type OneQuery } from './one-query.js';
import type { ClusterSearchOptions } from './option.js';
import { allOf } from './part.js';
import { type EnginePlan, enginePlanOf, namesDeviceFields, timedBody, timedSpan } from './plan.js';
import { PredicateCompiler } from './predicate.js';
import { looksBeyond, recordsOfDevices, scopeParts, timeRead } from './scope.js';

/** What the queries of a call are answered with. */
export interface CallWork {
  readonly options: Pick<ClusterSearchOptions, 'engine' | 'places' | 'timeoutMs'>;
  readonly call: SearchCall;
  readonly range: TimeRange;
  readonly times: Times;
  /** The instant that `now` means, in milliseconds. */
  readonly now: number;
  /** Reads from PostgreSQL. No connection is held while the cluster is asked, which may take seconds. */
  readonly reading: <T>(read: (snapshot: Snapshot) => Promise<T>) => Promise<T>;
  readonly pace: Pace;
  readonly weigh: (bytes: number) => void;
  /** Milliseconds since the call began. */
  readonly took: () => number;
}

/** A bound query, and which records it may see. */
export interface Asked {
  readonly query: OneQuery;
  readonly bound: BoundRequest;
  readonly fields: Fields;
  /** Those of the devices that the query leaves. */
  readonly scope: Part;
  /** All of them. */
  readonly whole: Part;
  readonly read: EngineRange;
}

/** The queries of a call once PostgreSQL has said what they are about. */
export interface Prepared {
  readonly scope: CallScope;
  readonly compiler: PredicateCompiler;
  readonly asked: readonly Asked[];
  /** Aggregations whose widths follow from the time that their records are in. */
  readonly timed: readonly TimedSearch[];
  /** There where nothing is timed. */
  readonly plans?: readonly Plan[];
}

/** The search for the time that the records of an aggregation are in. */
interface TimedSearch {
  readonly one: Asked;
  readonly aggregation: Aggregation;
  readonly search: EngineSearch;
}

/** A planned query. */
export interface Plan {
  readonly asked: Asked;
  readonly plan: EnginePlan;
}

type Spans = ReadonlyMap<Asked, ReadonlyMap<Aggregation, Span>>;

/** Asks PostgreSQL what the queries of a call are about, and plans them where nothing of the cluster is needed for that. */
export const prepare = async (queries: readonly OneQuery[], snapshot: Snapshot, work: CallWork): Promise<Prepared> => {
  const { call, options } = work;
  const { timeoutMs } = options;
  const { productIds } = queries[0]!;
  const scope = await readScope(snapshot, { ...call, productIds, early: noLook, timeoutMs });
  return snapshot.run(timeoutMs, async ({ rows }) => {
    const [places, older] = await Promise.all([options.places.of([call.organizationId]), loadOlderTypes(rows, call)]);
    const compiler = new PredicateCompiler(
      new EngineFields(places.get(call.organizationId), older),
      new DeviceQuestions(),
    );
    const recordsOf = createRecordsOf(rows, scope, call.applicationId);
    const asked: Asked[] = [];
    for (const query of queries) asked.push(...(await bind(query, { scope, recordsOf, rows }, work)));
    const timed = await timedSearches(asked, compiler, scope, rows);
    const prepared = { scope, compiler, asked, timed };
    return timed.length > 0 ? prepared : { ...prepared, plans: await planAll(prepared, new Map(), rows, work) };
  });
};

/** Plans queries once the cluster has said which time their records are in. */
export const planTimed = async (prepared: Prepared, work: CallWork): Promise<readonly Plan[]> => {
  const spans = await timesFound(prepared, work);
  return work.reading((snapshot) =>
    snapshot.run(work.options.timeoutMs, ({ rows }) => planAll(prepared, spans, rows, work)),
  );
};

/** Makes the function that finds the records of devices; those of all devices of a call are found once. */
const createRecordsOf = (rows: Rows, scope: CallScope, applicationId: string) => {
  let all: Promise<Part> | undefined;
  return (deviceIds: readonly string[]): Promise<Part> => {
    if (deviceIds !== scope.deviceIds) return recordsOfDevices(rows, { applicationId, deviceIds, isAll: false });
    return (all ??= recordsOfDevices(rows, { applicationId, deviceIds, isAll: true }));
  };
};

/** What the queries of a call are bound with. */
interface Binding {
  readonly scope: CallScope;
  readonly recordsOf: (deviceIds: readonly string[]) => Promise<Part>;
  readonly rows: Rows;
}

const bind = async (query: OneQuery, { scope, recordsOf, rows }: Binding, work: CallWork): Promise<Asked[]> => {
  const { request, productIds } = query;
  if (request === undefined) return [];
  const { range, now, call, pace } = work;
  const { organizationId } = call;
  const fields = await scope.fields(productIds, rows);
  await pace.begin();
  let bound: BoundRequest | undefined;
  attempt(query, () => {
    bound = bindRequest(request, { fields, now });
  });
  if (bound === undefined) return [];
  const beyond = looksBeyond(request.aggregations);
  const all = { organizationId, deviceIds: scope.deviceIds, productIds, from: range.from, to: range.to };
  const { deviceIds } = narrow(all, [bound.query]).scope;
  const parts = scopeParts(organizationId, productIds, range);
  const left = allOf([...parts, await recordsOf(deviceIds)]);
  const whole = beyond ? allOf([...parts, await recordsOf(scope.deviceIds)]) : left;
  return [{ query, bound, fields, scope: left, whole, read: timeRead(range, [bound.query], beyond, now) }];
};

const planAll = async (
  { asked, compiler, scope }: Prepared,
  spans: Spans,
  rows: Rows,
  { call, now, times, weigh, pace }: CallWork,
): Promise<Plan[]> => {
  const deviceValues = asked.some(({ bound }) => namesDeviceFields(bound))
    ? await loadDeviceValues(rows, scope.deviceIds)
    : new DeviceValues([]);
  const { organizationId } = call;
  const context = { organizationId, now, times, compiler, deviceValues, weigh, pace };
  const plans: Plan[] = [];
  for (const one of asked) {
    if (one.query.answer !== undefined) continue;
    const found = spans.get(one) ?? new Map<Aggregation, Span>();
    attempt(one.query, () => {
      const own = { fields: one.fields, found, scope: one.scope, whole: one.whole };
      plans.push({ asked: one, plan: enginePlanOf(one.bound, { ...context, ...own }) });
    });
  }
  await compiler.questions.answer(rows, scope.deviceIds);
  return plans;
};

const timedSearches = async (
  asked: readonly Asked[],
  compiler: PredicateCompiler,
  scope: CallScope,
  rows: Rows,
): Promise<TimedSearch[]> => {
  const found = asked.flatMap((one) =>
    [...one.bound.timed].map(([aggregation, predicate]) => ({
      one,
      aggregation,
      search: searchOf(one, timedBody(compiler.part(predicate), one.whole)),
    })),
  );
  if (found.length > 0) await compiler.questions.answer(rows, scope.deviceIds);
  return found;
};

/** The time that the records of each timed aggregation are in. */
const timesFound = async ({ timed, scope }: Prepared, work: CallWork): Promise<Spans> => {
  const found = new Map<Asked, Map<Aggregation, Span>>();
  const answers = await ask(
    timed.map(({ search }) => search),
    scope,
    work,
  );
  for (const [place, { one, aggregation }] of timed.entries()) {
    if (isLost(one.query, answers.slice(place, place + 1), work)) continue;
    const span = timedSpan(answers[place]!);
    if (span === undefined) continue;
    const spans = found.get(one) ?? new Map<Aggregation, Span>();
    found.set(one, spans.set(aggregation, span));
  }
  return found;
};

/** A search as the engine is asked it. */
export const searchOf = ({ query, read: { from, to } }: Asked, body: Part): EngineSearch => ({
  from,
  to,
  body,
  timeoutMs: query.request?.timeoutMs,
});

/** Asks the engine, where there is a device to ask for at all. */
export const ask = async (
  searches: readonly EngineSearch[],
  scope: CallScope,
  { options, call, took }: CallWork,
): Promise<readonly EngineAnswer[]> => {
  if (scope.deviceIds.length === 0) return searches.map(() => ({ status: 200 }));
  const { organizationId, signal } = call;
  return options.engine.ask(
    { organizationId, signal, deadline: performance.now() + options.timeoutMs - took() },
    searches,
  );
};

/** Whether one of a query's answers is missing; the query is answered so then. */
export const isLost = (query: OneQuery, own: readonly EngineAnswer[], { took }: CallWork): boolean => {
  const failed = own.find(({ error }) => error !== undefined);
  if (failed !== undefined) query.answer = failureOf(failed).toAnswer();
  else if (own.some((answer) => answer.timed_out)) query.answer = timedOutAnswer(took());
  return query.answer !== undefined;
};
