import type { Answer } from '../../search/aggregation/answer.js';
import type { Place } from '../../search/failure.js';
import type { Field } from '../../search/field/field.js';
import { type Awaitable, chain, type Pace } from '../../search/pace.js';

/** An aggregation, planned: what reads its answer for a bucket `B`, once what was asked of the store is there. */
export interface PlannedIn<B, M> {
  read(bucket: B): Awaitable<Answer>;
  /** How many values its answer has, where that is more than a few. */
  readonly size?: number;
  /** Of terms only: the kind of their keys; undefined where nothing has the field. */
  readonly keyKind?: Field['kind'];
  /** What buckets around can be ordered by, by the name of the property (`avg` of `stats`), empty for the only one. */
  sortable?(property: string): M | undefined;
  /** Of aggregations that make one bucket only: what stands in it. */
  readonly children?: ChildrenIn<B, M>;
}

/** What stands in the same buckets: aggregations by their names, and the pipelines over them. */
export interface ChildrenIn<B, M> {
  get(name: string): PlannedIn<B, M> | undefined;
  /** The answers for one bucket, behind what it begins with. */
  read(bucket: B, head?: Answer): Awaitable<Answer>;
  /**
   * The answers for several buckets, each behind what it begins with, as pipelines leave them: with more in each, fewer of
   * them, or in another order.
   */
  readAll<T>(items: Iterable<T>, begin: (item: T) => readonly [head: Answer, bucket: B]): Awaitable<Answer[]>;
}

/** What answers are counted and paced by. */
export interface Counting {
  /** Counts buckets made; fails past what one query may make. */
  made(count: number): void;
  /** Counts answers made, those of aggregations in each bucket; fails past what one query may make. */
  answered(count: number): void;
  /** Counts values that windows of moving functions are about to look at; fails past what one query may. */
  windowed(count: number, place: Place): void;
  /** For loops over buckets. */
  readonly pace: Pace;
}

/** A pipeline, planned: what it makes of the answers beside it, or of the buckets that it stands in. */
export interface PlannedPipeline {
  readonly name: string;
  /** Over answers beside it: its own answer. */
  beside?(answers: Answer): Awaitable<Answer>;
  /** Over the buckets that it stands in, which it may add to where they are. */
  across?(buckets: readonly Answer[]): Awaitable<Answer[]>;
}

/** Joins aggregations and pipelines that stand in the same buckets. Pipelines come in an order in which each finds what it is over. */
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
    // Each finds the answers of those before it.
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
