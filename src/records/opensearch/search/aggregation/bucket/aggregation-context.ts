import type { SortMetric } from '#records/answer/bucket-order.js';
import type { ChildrenIn, Counting, PlannedIn } from '#records/answer/children.js';
import type { AnswerDevices } from '#records/answer/device-answer.js';
import type { Times } from '#records/answer/hit.js';
import type { EngineBucket, EngineHit, Part } from '#records/opensearch/engine.js';
import type { DeviceValues } from '#records/opensearch/search/device-value.js';
import type { PredicateCompiler } from '#records/opensearch/search/predicate.js';
import { noneOf } from '#records/opensearch/search/query-part.js';
import type { Aggregation, BucketAggregation } from '#search/aggregation/aggregation.js';
import type { Interval, Rounding } from '#search/date/rounding.js';
import type { Field, Fields } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import { findField } from '#search/query/binding.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { type Bucket, countOf } from './bucket.js';

/** Aggregations as sent to the engine, by generated names. */
export type AskedAggregations = Readonly<Record<string, Part>>;

/** Context that all aggregations of a query share. */
export interface Planning extends Counting {
  readonly fields: Fields;
  /** Meaning of `now`, in milliseconds since 1970. */
  readonly now: number;
  /** Time span of the records of each `auto_date_histogram`; missing if there are no records. */
  readonly found: ReadonlyMap<Aggregation, InstantRange>;
  readonly organizationId: string;
  readonly times: Times;
  readonly compiler: PredicateCompiler;
  /** Names of the query's clauses. The engine knows the clauses by their index. */
  readonly names: readonly string[];
  /** Condition on all records that the query may see, whether they match it or not. */
  readonly scope: Part;
  /** Current values of the devices in scope; read only if the query names fields of devices. */
  readonly deviceValues: DeviceValues;
  /** Returns a name that no other aggregation of the query uses. */
  newName(): string;
  /**
   * Adds aggregations on the top level of the query. The returned function reads their answers once these have arrived.
   */
  aside(asked: AskedAggregations): () => EngineBucket | undefined;
  /** Requests the devices of the records that an answer shows. */
  needDevices(hits: readonly EngineHit[]): void;
  devices(): AnswerDevices;
  /** Requests the total number of records of the query. */
  countAll(): void;
  /** Plans the aggregations of the same buckets, by name. */
  planAll(aggregations: readonly Aggregation[], context: EngineAggregationContext): Children;
}

/** A metric that can order buckets. */
export interface SortPath extends SortMetric<Bucket> {
  /** Path of the metric relative to the bucket, as the engine names it. */
  readonly path: string;
}

/** A planned aggregation. */
export interface Planned extends PlannedIn<Bucket, SortPath> {
  readonly asked: AskedAggregations;
  /** Called with each answered bucket before anything is read; collects further requests. */
  visit?(bucket: Bucket): void;
}

/** Sub-aggregations of the same buckets. */
export interface Children extends ChildrenIn<Bucket, SortPath> {
  readonly asked: AskedAggregations;
  /** See {@link Planned}. */
  visit(bucket: Bucket): void;
}

/** A planned request to the engine: where to find its answer, and the path for ordering buckets by it. */
export interface EngineQuestion {
  readonly asked: AskedAggregations;
  answerIn(bucket: Bucket): EngineBucket | undefined;
  path(property: string): string;
}

/** The enclosing time buckets, for rates. */
export interface TimeAround {
  readonly interval: Interval;
  readonly rounding: Rounding;
}

/** Position of an aggregation in the tree. */
export class EngineAggregationContext {
  constructor(
    readonly planning: Planning,
    /** Whether the aggregations here are on the top level of the query. */
    readonly isTop: boolean,
    readonly time?: TimeAround,
  ) {}

  /** Returns the context inside the buckets of an aggregation. */
  inside(time?: TimeAround): EngineAggregationContext {
    return new EngineAggregationContext(this.planning, false, time ?? this.time);
  }

  /** Plans the sub-aggregations of an aggregation. */
  planAll(around: BucketAggregation, time?: TimeAround): Children {
    return this.planning.planAll(around.children, this.inside(time));
  }

  /**
   * Validates the sub-aggregations of buckets that can have no records, because a field does not exist. The answer is
   * empty, but errors inside are still reported, and so is an order by an unknown sub-aggregation.
   */
  planEmpty(around: BucketAggregation, time?: TimeAround): Children {
    const planning = { ...this.planning, aside: () => () => undefined, countAll: () => undefined };
    return new EngineAggregationContext(planning, false, time ?? this.time).planAll(around);
  }

  /** Returns a function that counts the records of a bucket in this context. */
  count(): (bucket: Bucket) => number {
    if (this.isTop) this.planning.countAll();
    return countOf;
  }

  /** Returns the field at a path; undefined for an unknown one. */
  field(path: string, at: Input): Field | undefined {
    return findField(this.planning.fields, path, at);
  }

  /** Plans an aggregation of the engine, with or without a field. */
  ask(
    type: string,
    body: Part,
    { field, children }: { field?: Field | undefined; children?: Children } = {},
  ): EngineQuestion {
    const { compiler, newName } = this.planning;
    const [name, inner] = [newName(), 'in'];
    const part = { [type]: body, ...(children && Object.keys(children.asked).length > 0 && { aggs: children.asked }) };
    const older = field && compiler.fields.olderThan(field);
    if (older === undefined)
      return {
        asked: { [name]: part },
        answerIn: ({ found }) => found?.[name] as EngineBucket | undefined,
        path: (property) => `${name}${property}`,
      };
    return {
      asked: { [name]: { filter: noneOf([older]), aggs: { [inner]: part } } },
      answerIn: ({ found }) => (found?.[name] as EngineBucket | undefined)?.[inner] as EngineBucket | undefined,
      path: (property) => `${name}>${inner}${property}`,
    };
  }
}

/** Orders buckets by a metric over an unknown field: no bucket has a value. */
export const noValue = (): SortPath => ({ path: '_key', cell: () => null, empty: 'last' });

/** Orders buckets by a metric with a single number over an unknown field: no bucket has a value. */
export const noNumber = (property: string): SortPath | undefined =>
  property === '' || property === 'value' ? noValue() : undefined;

/** Error for a request about current values of devices that a cluster cannot answer. */
export const notOfDevices = ({ path }: Field, kind: string, at: Input) =>
  illegalArgument(`[${kind}] over [${path}] is not supported where records are on a cluster`, at);
