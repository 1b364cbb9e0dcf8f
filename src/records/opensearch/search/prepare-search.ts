import type { AnswerDevices } from '#records/answer/device-answer.js';
import { timedOutAnswer } from '#records/answer/search-call.js';
import { narrow } from '#records/postgres/search/sql/record-scan.js';
import { type CallScope, loadScope, onlyDevices } from '#records/scope/call-scope.js';
import type { CallSnapshot } from '#records/scope/snapshot.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import { type BoundRequest, bindRequest } from '#search/bound-request.js';
import type { Fields } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import { namesFields, reservedOnly } from '#search/names-fields.js';
import type { EngineAnswer, EngineRange, EngineSearch, Part } from '../engine.js';
import type { CallWork } from './call-work.js';
import { DeviceQuestions } from './device-question.js';
import { DeviceValues, loadDeviceValues } from './device-value.js';
import { failureOf } from './engine-failure.js';
import { EngineFields } from './engine-field.js';
import { type EnginePlan, enginePlanOf, namesDeviceFields, timedBody, timedSpan } from './engine-plan.js';
import { loadOlderTypes } from './older-type.js';
import { type OneQuery, runQueryStep } from './one-query.js';
import { PredicateCompiler } from './predicate.js';
import { allOf } from './query-part.js';
import { asksOfAll, createRecordsOf, looksBeyond, recordsOfApplication, scopeParts, timeRead } from './scope.js';
import { expectDevices } from './shown-device.js';

/** A bound query and the records it may see. */
export interface AskedQuery {
  readonly query: OneQuery;
  readonly bound: BoundRequest;
  readonly fields: Fields;
  /** Devices that match the query. */
  readonly deviceIds: readonly string[];
  /** Condition on the records of these devices. */
  readonly scope: Part;
  /** Condition on all records that the query may see. */
  readonly whole: Part;
  readonly read: EngineRange;
}

/** The queries of a call after PostgreSQL has returned their scope. */
export interface Prepared {
  readonly scope: CallScope;
  readonly compiler: PredicateCompiler;
  readonly asked: readonly AskedQuery[];
  /** Searches for aggregations whose intervals depend on the time span of their records. */
  readonly timed: readonly TimedSearch[];
  /** Set if no aggregation is timed. */
  readonly planned?: Planned;
}

/** Search for the time span of an aggregation's records. */
interface TimedSearch {
  readonly one: AskedQuery;
  readonly aggregation: Aggregation;
  readonly search: EngineSearch;
}

/** A planned query. */
export interface PlannedQuery {
  readonly asked: AskedQuery;
  readonly plan: EnginePlan;
}

/** All planned queries of a call. */
export interface Planned {
  readonly plans: readonly PlannedQuery[];
  /** Devices that the hits are expected to show, if known; resolves to undefined if they could not be read. */
  readonly expected?: Promise<AnswerDevices | undefined> | undefined;
}

type Spans = ReadonlyMap<AskedQuery, ReadonlyMap<Aggregation, InstantRange>>;

/** Reads the scope of a call's queries from PostgreSQL, and plans them if this needs nothing of the cluster. */
export const prepare = async (
  queries: readonly OneQuery[],
  snapshot: CallSnapshot,
  work: CallWork,
): Promise<Prepared> => {
  const { call, options } = work;
  const { timeoutMs, places } = options;
  const { organizationId, applicationId, withoutAttributes } = call;
  return snapshot.run(timeoutMs, async ({ rows }) => {
    const requests = queries.flatMap(({ request }) => request ?? []);
    const naming = queries.find(({ request }) => request !== undefined && namesFields(request));
    const named = onlyDevices(requests);
    const [scope, older, known, all] = await Promise.all([
      loadScope(rows, { organizationId, applicationId, withoutAttributes, productIds: naming?.productIds, named }),
      loadOlderTypes(rows, call),
      places.of([organizationId]),
      asksOfAll(requests) ? recordsOfApplication(rows, applicationId) : undefined,
    ]);
    const compiler = new PredicateCompiler(new EngineFields(known.get(organizationId), older), new DeviceQuestions());
    const recordsOf = createRecordsOf(rows, scope, { applicationId, all, named });
    const asked: AskedQuery[] = [];
    for (const query of queries) asked.push(...(await bind(query, { scope, recordsOf, rows }, work)));
    const timed = await timedSearches(asked, compiler, scope, rows);
    const prepared = { scope, compiler, asked, timed };
    return timed.length > 0 ? prepared : { ...prepared, planned: await planAll(prepared, new Map(), rows, work) };
  });
};

/** Plans queries after the cluster has returned the time spans of their records. */
export const planTimed = async (prepared: Prepared, work: CallWork): Promise<Planned> => {
  const spans = await timesFound(prepared, work);
  return work.reading(async (snapshot, leave) => {
    const all = await snapshot.run(work.options.timeoutMs, ({ rows }) => planAll(prepared, spans, rows, work));
    leave(all.expected);
    return all;
  });
};

/** Context for binding the queries of a call. */
interface Binding {
  readonly scope: CallScope;
  readonly recordsOf: (deviceIds: readonly string[]) => Promise<Part>;
  readonly rows: Rows;
}

const bind = async (query: OneQuery, { scope, recordsOf, rows }: Binding, work: CallWork): Promise<AskedQuery[]> => {
  const { request, productIds } = query;
  if (request === undefined) return [];
  const { range, now, call, pace } = work;
  const { organizationId } = call;
  const fields = namesFields(request) ? await scope.fields(productIds, rows) : reservedOnly;
  await pace.begin();
  let bound: BoundRequest | undefined;
  runQueryStep(query, () => {
    bound = bindRequest(request, { fields, now });
  });
  if (bound === undefined) return [];
  const beyond = looksBeyond(request.aggregations);
  const all = { organizationId, deviceIds: scope.deviceIds, productIds, from: range.from, to: range.to };
  const { deviceIds } = narrow(all, [bound.query]).scope;
  const parts = scopeParts(organizationId, productIds, range);
  const left = allOf([...parts, await recordsOf(deviceIds)]);
  const whole = beyond ? allOf([...parts, await recordsOf(scope.deviceIds)]) : left;
  return [{ query, bound, fields, deviceIds, scope: left, whole, read: timeRead(range, [bound.query], beyond, now) }];
};

const planAll = async (
  { asked, compiler, scope }: Prepared,
  spans: Spans,
  rows: Rows,
  { call, now, times, weigh, pace }: CallWork,
): Promise<Planned> => {
  const deviceValues = asked.some(({ bound }) => namesDeviceFields(bound))
    ? await loadDeviceValues(rows, scope.deviceIds)
    : new DeviceValues([]);
  const { organizationId } = call;
  const context = { organizationId, now, times, compiler, deviceValues, weigh, pace };
  const plans: PlannedQuery[] = [];
  for (const one of asked) {
    if (one.query.answer !== undefined) continue;
    const found = spans.get(one) ?? new Map<Aggregation, InstantRange>();
    runQueryStep(one.query, () => {
      const { fields, deviceIds, scope: left, whole } = one;
      plans.push({
        asked: one,
        plan: enginePlanOf(one.bound, { ...context, fields, deviceIds, found, scope: left, whole }),
      });
    });
  }
  await compiler.questions.answer(rows, scope.deviceIds);
  const expected = plans.flatMap(({ asked: { deviceIds }, plan }) => (plan.showsDevices ? [deviceIds] : []));
  return { plans, expected: expectDevices(rows, expected) };
};

const timedSearches = async (
  asked: readonly AskedQuery[],
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

/** Requests the time span of the records of each timed aggregation. */
const timesFound = async ({ timed, scope }: Prepared, work: CallWork): Promise<Spans> => {
  const found = new Map<AskedQuery, Map<Aggregation, InstantRange>>();
  const answers = await ask(
    timed.map(({ search }) => search),
    scope,
    work,
  );
  for (const [place, { one, aggregation }] of timed.entries()) {
    if (isLost(one.query, answers.slice(place, place + 1), work)) continue;
    const span = timedSpan(answers[place]!);
    if (span === undefined) continue;
    const spans = found.get(one) ?? new Map<Aggregation, InstantRange>();
    found.set(one, spans.set(aggregation, span));
  }
  return found;
};

/** Builds a search for the engine. */
export const searchOf = ({ query, read: { from, to } }: AskedQuery, body: Part): EngineSearch => ({
  from,
  to,
  body,
  timeoutMs: query.request?.timeoutMs,
});

/** Sends searches to the engine, unless there are no devices in scope. */
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

/** Whether one of a query's searches failed or timed out; this then becomes the answer of the query. */
export const isLost = (query: OneQuery, own: readonly EngineAnswer[], { took }: CallWork): boolean => {
  const failed = own.find(({ error }) => error !== undefined);
  if (failed !== undefined) query.answer = failureOf(failed).toAnswer();
  else if (own.some((answer) => answer.timed_out)) query.answer = timedOutAnswer(took());
  return query.answer !== undefined;
};
