import type { AnswerDevices } from '#records/answer/device-answer.js';
import { hitOf, type Times } from '#records/answer/hit.js';
import type { Found } from '#records/record-index.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { BoundRequest } from '#search/bound-request.js';
import type { Field, Fields } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import type { Pace } from '#search/pace.js';
import type { NamedPredicates } from '#search/query/named.js';
import { all } from '#search/query/predicate.js';
import type { EngineAnswer, EngineBucket, EngineHit, Part } from '../engine.js';
import { planTree } from './aggregation/tree.js';
import { DeviceSortedHits } from './device-sort.js';
import type { DeviceValues } from './device-value.js';
import { engineCursor, orderOfKeys } from './engine-sort.js';
import { hitsOfQuery, recordOfHit, weightOf } from './hit.js';
import type { PredicateCompiler } from './predicate.js';
import { allOf } from './query-part.js';

/** Context for planning a query. */
export interface EnginePlanContext {
  readonly organizationId: string;
  readonly fields: Fields;
  readonly now: number;
  readonly times: Times;
  readonly compiler: PredicateCompiler;
  readonly deviceValues: DeviceValues;
  /** Pace of loops over the results. */
  readonly pace: Pace;
  /** Devices that match the query. */
  readonly deviceIds: readonly string[];
  /** Condition on the records of these devices that the query may see. */
  readonly scope: Part;
  /** Condition on all records that the query may see. */
  readonly whole: Part;
  /** Time spans of the records of timed aggregations. */
  readonly found: ReadonlyMap<Aggregation, InstantRange>;
  /** Adds bytes of the answer; throws beyond the limit of a call, or of all calls together. */
  readonly weigh: (bytes: number) => void;
}

/** A planned query: the requests to the engine, and functions that read its answers. */
export interface EnginePlan {
  readonly bodies: readonly Part[];
  /** Whether the hits show their devices. */
  readonly showsDevices: boolean;
  /** Builds the searches that follow on these answers. */
  more(answers: readonly EngineAnswer[]): readonly Part[];
  /**
   * Accepts the answers of the engine, `later` those to {@link more}, and returns the records whose devices are shown.
   */
  take(answers: readonly EngineAnswer[], later: readonly EngineAnswer[]): readonly EngineHit[];
  read(devices: AnswerDevices): Promise<Found>;
}

/** Name of the aggregation that counts the records of each device. */
const byDeviceName = 'devices';

/** Plans a bound query. @throws SearchFailure if a cluster cannot answer it. */
export const enginePlanOf = (bound: BoundRequest, context: EnginePlanContext): EnginePlan => {
  const { request, sort, shown, cursor } = bound;
  const { compiler, scope, weigh } = context;
  const { size, from, source, trackTotal } = request;
  const [query, postFilter] = bound.predicates;
  const names = [...bound.named.keys()];
  const tree = planTree(request.aggregations, { ...context, names, scope: context.whole });
  const matching = {
    query: withNames({ filter: [scope, ...(query === all ? [] : [compiler.part(query)])] }, bound.named, compiler),
    ...(postFilter !== all && { post_filter: compiler.part(postFilter) }),
    track_total_hits: trackTotal === Number.POSITIVE_INFINITY ? true : trackTotal,
  };
  const byDevice =
    size > 0 && sort[0]?.field.ofDevice
      ? new DeviceSortedHits({
          keys: sort,
          from,
          size,
          query: matching.query,
          postFilter: matching.post_filter,
          fields: compiler.fields,
          devices: context.deviceValues,
          ...(cursor && { cursor }),
        })
      : undefined;
  const hitsAsked = hitsOfQuery({ keys: sort, deviceIds: context.deviceIds, older: compiler.fields.older });
  const page = () => ({
    from,
    sort: orderOfKeys(sort, compiler.fields),
    ...hitsAsked.asked,
    ...(cursor && { search_after: engineCursor(sort, cursor) }),
  });
  const body: Part = {
    ...matching,
    size: byDevice ? 0 : size,
    ...(size > 0 && !byDevice && page()),
    ...((tree || byDevice) && { aggs: { ...tree?.asked, ...byDevice?.counts(byDeviceName) } }),
  };
  // With a cursor over buckets, the engine skips records and does not count them.
  const isCutShort = request.aggregations.some((one) => one.kind === 'composite' && one.after !== undefined);
  let answer: EngineAnswer | undefined;
  let found: readonly EngineHit[] = [];
  let counted: EngineAnswer | undefined;
  const terms = { older: compiler.fields.older, names };
  const make = hitOf({ sort, source, fields: shown, times: context.times, organizationId: context.organizationId });
  const showsDevices = source !== false || shown.length > 0;
  return {
    bodies: isCutShort && trackTotal !== false ? [body, { ...matching, size: 0 }] : [body],
    showsDevices: size > 0 && showsDevices,
    more: ([given]) => byDevice?.searches(given?.aggregations?.[byDeviceName] as EngineBucket | undefined) ?? [],
    take: ([given, more], later) => {
      byDevice?.take(later);
      answer = given;
      counted = more;
      found = byDevice?.hits ?? given?.hits?.hits.map(hitsAsked.complete) ?? [];
      for (const hit of found) weigh(weightOf(hit));
      const inside = tree?.take(given?.aggregations) ?? [];
      return showsDevices ? [...found, ...inside] : inside;
    },
    read: async (devices) => {
      const hits = await context.pace.map(found, (hit) => make(recordOfHit(hit, sort, terms), devices));
      const total = totalOf(counted ?? answer, trackTotal);
      const aggregations = await tree?.read(devices);
      return {
        hits: { ...(total && { total }), max_score: null, hits },
        ...(aggregations && { aggregations }),
      };
    },
  };
};

/**
 * Builds a query that also returns the named clauses that each hit matches. The engine gets their indexes as names; the
 * clauses do not change which hits match.
 */
const withNames = (
  query: { readonly filter: readonly Part[] },
  named: NamedPredicates,
  compiler: PredicateCompiler,
): Part => {
  if (named.size === 0) return { bool: query };
  const should = [...named.values()].map((one, index) => ({
    bool: { filter: [compiler.part(one)], _name: `${index}` },
  }));
  return { bool: { ...query, should, minimum_should_match: 0 } };
};

const totalOf = (answer: EngineAnswer | undefined, trackTotal: number | false): Found['hits']['total'] => {
  if (trackTotal === false) return undefined;
  const { value, relation } = answer?.hits?.total ?? { value: 0, relation: 'eq' };
  return relation === 'gte' || value > trackTotal ? { value: trackTotal, relation: 'gte' } : { value, relation: 'eq' };
};

/** Builds the search for the time span of the records of timed aggregations. */
export const timedBody = (query: Part, scope: Part): Part => ({
  size: 0,
  query: allOf([scope, query]),
  aggs: { from: { min: { field: 'us' } }, to: { max: { field: 'us' } } },
});

/** Reads this time span in milliseconds; undefined if there are no records. */
export const timedSpan = ({ aggregations }: EngineAnswer): InstantRange | undefined => {
  const [from, to] = ['from', 'to'].map(
    (name) => (aggregations?.[name] as { value?: number | null } | undefined)?.value,
  );
  return from === null || from === undefined || to === null || to === undefined
    ? undefined
    : { from: Math.floor(from / 1000), to: Math.floor(to / 1000) };
};

/** Whether aggregations or sorts name current values of devices. */
export const namesDeviceFields = ({ request, sort }: BoundRequest): boolean =>
  sort.some(({ field }: { field: Field }) => field.ofDevice) || request.aggregations.some(namesDevices);

const namesDevices = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(namesDevices);
  return Object.entries(value).some(([key, inner]: [string, unknown]) => {
    if (key === 'at' || key === 'meta' || key === 'query' || key === 'filter') return false;
    if (typeof inner === 'string') return key === 'field' && inner.startsWith('device.');
    return namesDevices(inner);
  });
};
