import type { Aggregation } from '../../../search/aggregation/aggregation.js';
import { type BoundRequest, bindRequest } from '../../../search/bound-request.js';
import type { TimeRange } from '../../../search/envelope.js';
import { SearchFailure } from '../../../search/failure.js';
import type { Fields } from '../../../search/field/field.js';
import type { Span } from '../../../search/span.js';
import type { Times } from '../../answer/hit.js';
import { timedOutAnswer } from '../../answer/search-call.js';
import type { CallScope } from '../../postgres/search/call-scope.js';
import { loadDevices } from '../../postgres/search/hits/device.js';
import type { Reader } from '../../postgres/search/snapshot-reader.js';
import { narrow } from '../../postgres/search/sql/scan.js';
import type { SearchCall } from '../../record-index.js';
import type { EngineAnswer, EngineHit, EngineRange, EngineSearch, Part } from '../engine.js';
import { DeviceQuestions } from './device-question.js';
import { DeviceValues, loadDeviceValues } from './device-value.js';
import { failureOf } from './failure.js';
import { EngineFields } from './field.js';
import { loadOlderTypes } from './older-type.js';
import { attempt, type OneQuery, shardsOf } from './one-query.js';
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
  readonly scope: CallScope;
  readonly reader: Reader;
  readonly weigh: (bytes: number) => void;
  /** Milliseconds since the call began. */
  readonly took: () => number;
}

/** A bound query, and which records it may see. */
interface Asked {
  readonly query: OneQuery;
  readonly bound: BoundRequest;
  readonly fields: Fields;
  /** Those of the devices that the query leaves. */
  readonly scope: Part;
  /** All of them. */
  readonly whole: Part;
  readonly read: EngineRange;
}

/**
 * Answers queries, each in its place; those that are wrong have their answers already, or get them here. What time is left
 * without an answer is timed out.
 */
export const answerQueries = async (queries: readonly OneQuery[], work: CallWork): Promise<void> => {
  const { organizationId } = work.call;
  const [places, older] = await Promise.all([
    work.options.places.of([organizationId]),
    loadOlderTypes(work.reader.rows, work.call),
  ]);
  const questions = new DeviceQuestions();
  const compiler = new PredicateCompiler(new EngineFields(places.get(organizationId), older), questions);
  const asked: Asked[] = [];
  for (const query of queries) asked.push(...(await bind(query, work)));
  const plans = await planAll(asked, compiler, work);
  await questions.answer(work.reader.rows, work.scope.deviceIds);
  const searches = plans.map(({ asked, plan }) => plan.bodies.map((body) => searchOf(asked, body)));
  const answers = await askAll(searches, work);
  const later = await askAll(
    plans.map(({ asked, plan }, place) =>
      isAnswered(answers[place]!) ? plan.more(answers[place]!).map((body) => searchOf(asked, body)) : [],
    ),
    work,
  );
  await read(plans, { answers, later }, work);
};

const bind = async (query: OneQuery, work: CallWork): Promise<Asked[]> => {
  const { request, productIds } = query;
  if (request === undefined) return [];
  const { scope, reader, range, now, call } = work;
  const { organizationId } = call;
  const fields = await scope.fields(productIds, reader.rows);
  await reader.pace.begin();
  let bound: BoundRequest | undefined;
  attempt(query, () => {
    bound = bindRequest(request, { fields, now });
  });
  if (bound === undefined) return [];
  const beyond = looksBeyond(request.aggregations);
  const all = { organizationId, deviceIds: scope.deviceIds, productIds, from: range.from, to: range.to };
  const { deviceIds } = narrow(all, [bound.query]).scope;
  const parts = scopeParts(organizationId, productIds, range);
  const left = allOf([...parts, await recordsOfDevices(reader.rows, deviceIds)]);
  const whole = beyond ? allOf([...parts, await recordsOfDevices(reader.rows, scope.deviceIds)]) : left;
  return [{ query, bound, fields, scope: left, whole, read: timeRead(range, [bound.query], beyond, now) }];
};

/** A planned query. */
interface Plan {
  readonly asked: Asked;
  readonly plan: EnginePlan;
}

const planAll = async (asked: readonly Asked[], compiler: PredicateCompiler, work: CallWork): Promise<Plan[]> => {
  const { reader, scope, call, now, times, weigh } = work;
  const deviceValues = asked.some(({ bound }) => namesDeviceFields(bound))
    ? await loadDeviceValues(reader.rows, scope.deviceIds)
    : new DeviceValues([]);
  const spans = await timesFound(asked, compiler, work);
  const plans: Plan[] = [];
  for (const one of asked) {
    if (one.query.answer !== undefined) continue;
    const found = spans.get(one) ?? new Map<Aggregation, Span>();
    const { organizationId } = call;
    const context = {
      organizationId,
      fields: one.fields,
      now,
      times,
      compiler,
      deviceValues,
      found,
      weigh,
      pace: reader.pace,
    };
    attempt(one.query, () => {
      const plan = enginePlanOf(one.bound, { ...context, scope: one.scope, whole: one.whole });
      plans.push({ asked: one, plan });
    });
  }
  return plans;
};

/** The time that the records of each timed aggregation are in. */
const timesFound = async (
  asked: readonly Asked[],
  compiler: PredicateCompiler,
  work: CallWork,
): Promise<ReadonlyMap<Asked, ReadonlyMap<Aggregation, Span>>> => {
  const timed = asked.flatMap((one) =>
    [...one.bound.timed].map(([aggregation, predicate]) => ({ one, aggregation, predicate })),
  );
  const found = new Map<Asked, Map<Aggregation, Span>>();
  if (timed.length === 0) return found;
  const questions = new DeviceQuestions();
  const own = new PredicateCompiler(compiler.fields, questions);
  const searches = timed.map(({ one, predicate }) => searchOf(one, timedBody(own.part(predicate), one.whole)));
  await questions.answer(work.reader.rows, work.scope.deviceIds);
  const answers = await ask(searches, work);
  for (const [place, { one, aggregation }] of timed.entries()) {
    if (isLost(one.query, answers.slice(place, place + 1), work)) continue;
    const span = timedSpan(answers[place]!);
    if (span === undefined) continue;
    const known = found.get(one) ?? new Map<Aggregation, Span>();
    found.set(one, known.set(aggregation, span));
  }
  return found;
};

const searchOf = ({ query, read: { from, to } }: Asked, body: Part): EngineSearch => ({
  from,
  to,
  body,
  timeoutMs: query.request?.timeoutMs,
});

const isAnswered = (answers: readonly EngineAnswer[]): boolean =>
  answers.every((answer) => answer.error === undefined && !answer.timed_out);

/** Asks the engine all searches together, and answers them as they are grouped. */
const askAll = async (searches: readonly (readonly EngineSearch[])[], work: CallWork): Promise<EngineAnswer[][]> => {
  const answers = [...(await ask(searches.flat(), work))];
  return searches.map((group) => answers.splice(0, group.length));
};

/** Asks the engine, where there is a device to ask for at all. */
const ask = async (
  searches: readonly EngineSearch[],
  { options, call, took, scope }: CallWork,
): Promise<readonly EngineAnswer[]> => {
  if (scope.deviceIds.length === 0) return searches.map(() => ({ status: 200 }));
  const { organizationId, signal } = call;
  return options.engine.ask(
    { organizationId, signal, deadline: performance.now() + options.timeoutMs - took() },
    searches,
  );
};

/** Whether one of a query's answers is missing; the query is answered so then. */
const isLost = (query: OneQuery, own: readonly EngineAnswer[], { took }: CallWork): boolean => {
  const failed = own.find(({ error }) => error !== undefined);
  if (failed !== undefined) query.answer = failureOf(failed).toAnswer();
  else if (own.some((answer) => answer.timed_out)) query.answer = timedOutAnswer(took());
  return query.answer !== undefined;
};

/** Reads the answers, with the devices of all that they show. */
const read = async (
  plans: readonly Plan[],
  { answers, later }: { answers: readonly EngineAnswer[][]; later: readonly EngineAnswer[][] },
  work: CallWork,
): Promise<void> => {
  const { reader, took } = work;
  const shown: EngineHit[] = [];
  for (const [index, { asked, plan }] of plans.entries()) {
    const { query } = asked;
    if (query.answer !== undefined || isLost(query, [...answers[index]!, ...later[index]!], work)) continue;
    attempt(query, () => void shown.push(...plan.take(answers[index]!, later[index]!)));
  }
  const idsOf = (name: string) => shown.flatMap(({ fields }) => (fields?.[name]?.[0] as string | undefined) ?? []);
  const devices = await loadDevices(reader.rows, idsOf('d'), idsOf('p'));
  for (const [index, { asked, plan }] of plans.entries()) {
    const { query } = asked;
    if (query.answer !== undefined) continue;
    try {
      const found = await plan.read(devices);
      query.answer = {
        took: took(),
        timed_out: false,
        status: 200,
        _shards: shardsOf([...answers[index]!, ...later[index]!]),
        ...found,
      };
    } catch (error) {
      if (!(error instanceof SearchFailure)) throw error;
      query.answer = error.toAnswer();
    }
  }
};
