import type { Answer } from '#search/aggregation/aggregation-answer.js';
import type { Field } from '#search/field/field.js';
import { type Awaitable, chain, type Pace } from '#search/pace.js';
import type { FaultPosition } from '#search/search-failure.js';

/** A planned aggregation, which reads its answer for a bucket `B` from the store's results. */
export interface PlannedIn<B, M> {
  read(bucket: B): Awaitable<Answer>;
  /** Approximate number of values of its answer, if that is more than a few. */
  readonly size?: number;
  /** Kind of the keys of a terms aggregation; undefined if no record has the field. */
  readonly keyKind?: Field['kind'];
  /**
   * Returns the sort metric of a property (`avg` of `stats`), by which enclosing buckets can be ordered. The property
   * is empty for a single-valued metric.
   */
  sortable?(property: string): M | undefined;
  /** Sub-aggregations of an aggregation that makes a single bucket. */
  readonly children?: ChildrenIn<B, M>;
}

/** Sub-aggregations of the same bucket, by name, together with the pipelines over them. */
export interface ChildrenIn<B, M> {
  get(name: string): PlannedIn<B, M> | undefined;
  /** Reads the answers for one bucket and appends them to `head`. */
  read(bucket: B, head?: Answer): Awaitable<Answer>;
  /**
   * Reads the answers for several buckets, each appended to its head, and then runs pipelines, which may add to them,
   * remove some, or reorder them.
   */
  readAll<T>(items: Iterable<T>, begin: (item: T) => readonly [head: Answer, bucket: B]): Awaitable<Answer[]>;
}

/** Limits and pacing of answers. */
export interface Counting {
  /** Counts buckets. Throws when the limit of one query is exceeded. */
  made(count: number): void;
  /** Counts answers, one for each aggregation in each bucket. Throws when the limit of one query is exceeded. */
  answered(count: number): void;
  /** Counts the values that windows of moving functions will read. Throws when the limit of one query is exceeded. */
  windowed(count: number, place: FaultPosition): void;
  /** Yields the event loop in loops over buckets. */
  readonly pace: Pace;
}

/** A planned pipeline, which computes from sibling answers or from the buckets that contain it. */
export interface PlannedPipeline {
  readonly name: string;
  /** Computes its own answer from the sibling answers. */
  beside?(answers: Answer): Awaitable<Answer>;
  /** Computes over the buckets that contain it, and may add to each of them. */
  across?(buckets: readonly Answer[]): Awaitable<Answer[]>;
}

/**
 * Joins aggregations and pipelines of the same bucket. Pipelines must come in an order in which each finds its inputs.
 */
export const childrenOf = <B, M>(
  planned: ReadonlyMap<string, PlannedIn<B, M>>,
  pipelines: readonly PlannedPipeline[],
  { pace, answered }: Pick<Counting, 'pace' | 'answered'>,
): ChildrenIn<B, M> => {
  const entries = [...planned];
  const besides = pipelines.flatMap(({ name, beside }) => (beside === undefined ? [] : [{ name, beside }]));
  const size = entries.reduce((sum, [, { size: own = 1 }]) => sum + own, pipelines.length);
  const withBesides = (answers: Answer): Awaitable<Answer> => {
    if (besides.length === 0) return answers;
    // Each pipeline finds the answers of those before it.
    const all = pace.map(besides, ({ name, beside }) =>
      chain(beside(answers), (answer) => {
        answers[name] = answer;
      }),
    );
    return chain(all, () => answers);
  };
  const readFrom = async (start: number, pending: Promise<Answer>, bucket: B, answers: Answer): Promise<Answer> => {
    answers[entries[start]![0]] = await pending;
    for (const [name, one] of entries.slice(start + 1)) answers[name] = await one.read(bucket);
    return withBesides(answers);
  };
  const read = (bucket: B, answers: Answer = {}): Awaitable<Answer> => {
    answered(size);
    for (let index = 0; index < entries.length; index += 1) {
      const [name, one] = entries[index]!;
      const answer = one.read(bucket);
      if (answer instanceof Promise) return readFrom(index, answer, bucket, answers);
      answers[name] = answer;
    }
    return withBesides(answers);
  };
  const acrossFrom = (index: number, buckets: readonly Answer[]): Awaitable<Answer[]> => {
    const pipeline = pipelines[index];
    if (pipeline === undefined) return buckets as Answer[];
    if (pipeline.across === undefined) return acrossFrom(index + 1, buckets);
    return chain(pipeline.across(buckets), (done) => acrossFrom(index + 1, done));
  };
  return {
    get: (name) => planned.get(name),
    read,
    readAll: (items, begin) =>
      chain(
        pace.map(items, (item) => {
          const [head, bucket] = begin(item);
          return read(bucket, head);
        }),
        (buckets) => acrossFrom(0, buckets),
      ),
  };
};
