import { answerCounter } from '#records/answer/answer-count.js';
import type { AnswerDevices } from '#records/answer/device-answer.js';
import { type AskedAggregation, planSiblings } from '#records/answer/plan-aggregations.js';
import type { EngineBucket, EngineHit } from '#records/opensearch/engine.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { numberOf, unsupported } from '#search/aggregation/number-of.js';
import type { Awaitable } from '#search/pace.js';
import { dateReading } from '#search/query/binding.js';
import { pointOf } from '#search/syntax/geo-point.js';
import { scalarText } from '#search/syntax/value.js';
import { matchAll } from '../query-part.js';
import {
  type AskedAggregations,
  type Children,
  EngineAggregationContext,
  type Planned,
  type Planning,
  type SortPath,
} from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { planners } from './registry.js';

/** Planned aggregations of a query: sent to the engine first, read afterwards. */
export interface PlannedTree {
  readonly asked: AskedAggregations;
  /** Accepts the engine's answer and returns the records that it shows. */
  take(answer: EngineBucket | undefined): readonly EngineHit[];
  /** Builds the answer with the devices of the records that it shows. */
  read(devices: AnswerDevices): Awaitable<Answer>;
}

/** Context for planning. */
interface Shared
  extends Pick<
    Planning,
    'fields' | 'now' | 'found' | 'times' | 'organizationId' | 'compiler' | 'names' | 'scope' | 'deviceValues' | 'pace'
  > {
  /** Adds bytes held in memory; throws beyond the limit of a call, or of all calls together. */
  readonly weigh: (bytes: number) => void;
}

/** Name of the aggregation that counts all records of a query. */
const counted = 'all';

/** Plans the aggregations of a query; undefined if there are none. */
export const planTree = (
  aggregations: readonly Aggregation[],
  { weigh, ...shared }: Shared,
): PlannedTree | undefined => {
  if (aggregations.length === 0) return undefined;
  let names = 0;
  let isCounted = false;
  let taken: EngineBucket | undefined;
  let devices: AnswerDevices | undefined;
  const aside: AskedAggregations[] = [];
  const shown: EngineHit[] = [];
  const planning: Planning = {
    ...shared,
    ...answerCounter(weigh),
    planAll,
    newName: () => `a${names++}`,
    aside: (asked) => {
      aside.push(asked);
      return () => taken;
    },
    needDevices: (hits) => void shown.push(...hits),
    devices: () => devices!,
    countAll: () => {
      isCounted = true;
    },
  };
  const planned = planAll(aggregations, new EngineAggregationContext(planning, true));
  const root = (): Bucket => {
    if (taken === undefined) return {};
    const all = taken[counted] as EngineBucket | undefined;
    return { found: { ...taken, ...(all && { doc_count: all.doc_count ?? 0 }) } };
  };
  return {
    asked: Object.assign(
      isCounted ? { [counted]: { filter: matchAll } } : {},
      planned.asked,
      ...aside,
    ) as AskedAggregations,
    take: (answer) => {
      taken = answer;
      planned.visit(root());
      return shown;
    },
    read: (given) => {
      devices = given;
      return planned.read(root());
    },
  };
};

type PlanOne = (aggregation: Aggregation, context: EngineAggregationContext) => Planned;

/** Plans the aggregations of the same buckets. */
const planAll = (aggregations: readonly Aggregation[], context: EngineAggregationContext): Children => {
  const plan = (aggregation: AskedAggregation): Planned => {
    checkMissing(aggregation, context);
    return (planners[aggregation.kind] as PlanOne)(aggregation, context);
  };
  const { planned, children } = planSiblings<Bucket, SortPath, Planned>(aggregations, plan, context.planning);
  const visitors = [...planned.values()].flatMap(({ visit }) => visit ?? []);
  return {
    ...children,
    asked: Object.assign({}, ...[...planned.values()].map(({ asked }) => asked)) as AskedAggregations,
    visit: (bucket) => {
      for (const visit of visitors) visit(bucket);
    },
  };
};

/** Validates that the default for missing values suits its field, even if every record has a value. */
const checkMissing = (aggregation: Aggregation, context: EngineAggregationContext): void => {
  if (!('missing' in aggregation) || !('field' in aggregation) || aggregation.missing === undefined) return;
  const { kind, field: path, missing, at } = aggregation;
  const field = path === undefined ? undefined : context.field(path, at);
  if (field === undefined || field.kind === 'keyword') return;
  const format = 'format' in aggregation ? aggregation.format : undefined;
  if (field.kind === 'geo_point') {
    if (!ofPlaces.has(kind)) throw unsupported(field, kind, at);
    pointOf(scalarText(missing) ?? '', missing);
  } else numberOf(field, missing, dateReading(context.planning.now, field.kind === 'date' ? format : undefined));
};

const ofPlaces = new Set([
  'geo_distance',
  'geohash_grid',
  'geotile_grid',
  'geo_bounds',
  'geo_centroid',
  'cardinality',
  'missing',
  'value_count',
]);
