import type { Aggregation } from '../../../search/aggregation/aggregation.js';
import type { BoundRequest } from '../../../search/bound-request.js';
import type { Field, Fields } from '../../../search/field/field.js';
import type { Pace } from '../../../search/pace.js';
import { all } from '../../../search/query/predicate.js';
import type { Span } from '../../../search/span.js';
import type { Devices } from '../../answer/device.js';
import { hitOf, type Times } from '../../answer/hit.js';
import type { Found } from '../../record-index.js';
import { planTree } from './aggregation/tree.js';
import type { DeviceValues } from './device-value.js';
import type { EngineAnswer, EngineHit, Part } from './engine.js';
import { hitParts, recordOfHit, weightOf } from './hit.js';
import { cursorOf, orderOfKeys } from './order.js';
import { allOf } from './part.js';
import type { PredicateCompiler } from './predicate.js';

/** What a query is planned over. */
export interface EnginePlanContext {
  readonly organizationId: string;
  readonly fields: Fields;
  readonly now: number;
  readonly times: Times;
  readonly compiler: PredicateCompiler;
  readonly deviceValues: DeviceValues;
  /** For loops over what was found. */
  readonly pace: Pace;
  /** The records that the query may see, of the devices that it leaves. */
  readonly scope: Part;
  /** All records that the query may see. */
  readonly whole: Part;
  /** The time that records of timed aggregations are in. */
  readonly found: ReadonlyMap<Aggregation, Span>;
  /** Counts what the answer takes, in bytes; throws past what a call, or all of them, may hold. */
  readonly weigh: (bytes: number) => void;
}

/** A query as the engine is asked it, and how its answer is read. */
export interface EnginePlan {
  readonly body: Part;
  /** Takes the engine's answer. Answers the records whose devices are shown. */
  take(answer: EngineAnswer): readonly EngineHit[];
  read(devices: Devices): Promise<Found>;
}

/** Plans a bound query. @throws SearchFailure where it cannot be answered from a cluster. */
export const enginePlanOf = (bound: BoundRequest, context: EnginePlanContext): EnginePlan => {
  const { request, sort, shown, cursor } = bound;
  const { compiler, scope, weigh } = context;
  const { size, from, source, trackTotal } = request;
  const order = orderOfKeys(sort, compiler.fields);
  const [query, postFilter] = bound.predicates;
  const tree = planTree(request.aggregations, { ...context, scope: context.whole });
  const body: Part = {
    size,
    query: { bool: { filter: [scope, ...(query === all ? [] : [compiler.part(query)])] } },
    ...(postFilter !== all && { post_filter: compiler.part(postFilter) }),
    track_total_hits: trackTotal === Number.POSITIVE_INFINITY ? true : trackTotal,
    ...(size > 0 && { from, sort: order, ...hitParts, ...(cursor && { search_after: cursorOf(sort, cursor) }) }),
    ...(tree && { aggs: tree.asked }),
  };
  let answer: EngineAnswer | undefined;
  const make = hitOf({ sort, source, fields: shown, times: context.times, organizationId: context.organizationId });
  const showsDevices = source !== false || shown.length > 0;
  const hitsOf = () => answer?.hits?.hits ?? [];
  return {
    body,
    take: (given) => {
      answer = given;
      for (const hit of hitsOf()) weigh(weightOf(hit));
      const inside = tree?.take(given.aggregations) ?? [];
      return showsDevices ? [...hitsOf(), ...inside] : inside;
    },
    read: async (devices) => {
      const hits = await context.pace.map(hitsOf(), (hit) => make(recordOfHit(hit, sort), devices));
      const total = totalOf(answer, trackTotal, postFilter === all ? tree?.total() : undefined);
      const aggregations = await tree?.read(devices);
      return {
        hits: { ...(total && { total }), max_score: null, hits },
        ...(aggregations && { aggregations }),
      };
    },
  };
};

const totalOf = (
  answer: EngineAnswer | undefined,
  trackTotal: number | false,
  counted: number | undefined,
): Found['hits']['total'] => {
  if (trackTotal === false) return undefined;
  const told = answer?.hits?.total;
  const { value, relation } =
    counted === undefined ? (told ?? { value: 0, relation: 'eq' }) : { value: counted, relation: 'eq' };
  return relation === 'gte' || value > trackTotal ? { value: trackTotal, relation: 'gte' } : { value, relation: 'eq' };
};

/** The query that finds out which time the records of timed aggregations are in. */
export const timedBody = (query: Part, scope: Part): Part => ({
  size: 0,
  query: allOf([scope, query]),
  aggs: { from: { min: { field: 'us' } }, to: { max: { field: 'us' } } },
});

/** The time that such an answer tells, in milliseconds; undefined where there are no records. */
export const timedSpan = ({ aggregations }: EngineAnswer): Span | undefined => {
  const [from, to] = ['from', 'to'].map(
    (name) => (aggregations?.[name] as { value?: number | null } | undefined)?.value,
  );
  return from === null || from === undefined || to === null || to === undefined
    ? undefined
    : { from: Math.floor(from / 1000), to: Math.floor(to / 1000) };
};

/** Whether aggregations or sorts name what devices have now. */
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
