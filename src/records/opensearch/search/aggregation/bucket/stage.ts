import type { Aggregation, BucketAggregation } from '../../../../../search/aggregation/aggregation.js';
import type { Interval, Rounding } from '../../../../../search/date/rounding.js';
import { illegalArgument } from '../../../../../search/failure.js';
import type { Field, Fields } from '../../../../../search/field/field.js';
import { findField } from '../../../../../search/query/binding.js';
import type { Span } from '../../../../../search/span.js';
import type { Input } from '../../../../../search/syntax/input.js';
import type { SortMetric } from '../../../../answer/bucket-order.js';
import type { ChildrenIn, Counting, PlannedIn } from '../../../../answer/children.js';
import type { Devices } from '../../../../answer/device.js';
import type { Times } from '../../../../answer/hit.js';
import type { EngineBucket, EngineHit, Part } from '../../../engine.js';
import type { DeviceValues } from '../../device-value.js';
import { noneOf } from '../../part.js';
import type { PredicateCompiler } from '../../predicate.js';
import { type Bucket, countOf } from './bucket.js';

/** Aggregations as the engine is asked them, by names of ours. */
export type Asked = Readonly<Record<string, Part>>;

/** What all aggregations of a query share. */
export interface Planning extends Counting {
  readonly fields: Fields;
  /** The instant that `now` means, in milliseconds. */
  readonly now: number;
  /** Of each `auto_date_histogram` the time that its records are in; none where it has no records. */
  readonly found: ReadonlyMap<Aggregation, Span>;
  readonly organizationId: string;
  readonly times: Times;
  readonly compiler: PredicateCompiler;
  /** The names of the query's clauses, which the engine knows by their places. */
  readonly names: readonly string[];
  /** All records that the query may see, whether they match it or not. */
  readonly scope: Part;
  /** The devices of the scope as they are now; read where the query names what is theirs. */
  readonly deviceValues: DeviceValues;
  /** A name that no other aggregation of the query has. */
  newName(): string;
  /** Asks for more beside the aggregations of the query; answers where the answers are, once they are there. */
  aside(asked: Asked): () => EngineBucket | undefined;
  /** Says that records of an answer are shown with their devices. */
  needDevices(hits: readonly EngineHit[]): void;
  devices(): Devices;
  /** Counts all records of the query. */
  countAll(): void;
  /** Plans aggregations that stand in the same buckets, by their names. */
  planAll(aggregations: readonly Aggregation[], stage: Stage): Children;
}

/** A metric to order buckets by. */
export interface SortPath extends SortMetric<Bucket> {
  /** How the engine names it, from the bucket on. */
  readonly path: string;
}

/** An aggregation, planned. */
export interface Planned extends PlannedIn<Bucket, SortPath> {
  readonly asked: Asked;
  /** Told of the answer before anything is read: what else has to be found out. */
  visit?(bucket: Bucket): void;
}

/** What stands in the same buckets. */
export interface Children extends ChildrenIn<Bucket, SortPath> {
  readonly asked: Asked;
  /** See {@link Planned}. */
  visit(bucket: Bucket): void;
}

/** What was asked of the engine: where its answer is, and how buckets are ordered by it. */
export interface Question {
  readonly asked: Asked;
  answerIn(bucket: Bucket): EngineBucket | undefined;
  path(property: string): string;
}

/** Buckets of time around, for rates. */
export interface TimeAround {
  readonly interval: Interval;
  readonly rounding: Rounding;
}

/** Where an aggregation stands. */
export class Stage {
  constructor(
    readonly planning: Planning,
    /** Whether aggregations here are the query's own, inside no other. */
    readonly isTop: boolean,
    readonly time?: TimeAround,
  ) {}

  /** Inside the buckets of an aggregation. */
  inside(time?: TimeAround): Stage {
    return new Stage(this.planning, false, time ?? this.time);
  }

  /** Plans what stands in the buckets of an aggregation. */
  planAll(around: BucketAggregation, time?: TimeAround): Children {
    return this.planning.planAll(around.children, this.inside(time));
  }

  /**
   * Plans what stands in buckets that nothing can be in, for its faults alone: a field that does not exist answers
   * nothing, but what is wrong inside is wrong all the same, as is an order by what is not inside.
   */
  planBarren(around: BucketAggregation, time?: TimeAround): Children {
    const planning = { ...this.planning, aside: () => () => undefined, countAll: () => undefined };
    return new Stage(planning, false, time ?? this.time).planAll(around);
  }

  /** How many records a bucket here has. */
  count(): (bucket: Bucket) => number {
    if (this.isTop) this.planning.countAll();
    return countOf;
  }

  /** The field of a path, undefined where nothing has it. */
  field(path: string, at: Input): Field | undefined {
    return findField(this.planning.fields, path, at);
  }

  /** Asks for an aggregation of the engine's over a field, or over none. */
  ask(
    type: string,
    body: Part,
    { field, children }: { field?: Field | undefined; children?: Children } = {},
  ): Question {
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

/** What a metric over a field that nothing has orders buckets by: none has a value. */
export const noValue = (): SortPath => ({ path: '_key', cell: () => null, empty: 'last' });

/** The same of a metric of one number. */
export const noNumber = (property: string): SortPath | undefined =>
  property === '' || property === 'value' ? noValue() : undefined;

/** What a cluster does not answer about devices as they are now. */
export const notOfDevices = ({ path }: Field, kind: string, at: Input) =>
  illegalArgument(`[${kind}] over [${path}] is not supported where records are on a cluster`, at);
