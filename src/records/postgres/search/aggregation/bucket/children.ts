import type { Answer } from '../../../../../search/aggregation/answer.js';
import { type Awaitable, chain } from '../../../../../search/pace.js';
import type { Bucket } from './bucket.js';
import type { Children, Planned, Planning } from './stage.js';

/** A pipeline, planned: what it makes of the answers beside it, or of the buckets that it stands in. */
export interface PlannedPipeline {
  readonly name: string;
  /** Over answers beside it: its own answer. */
  beside?(answers: Answer): Awaitable<Answer>;
  /** Over the buckets that it stands in, which it may add to where they are. */
  across?(buckets: readonly Answer[]): Awaitable<Answer[]>;
}

/** Joins aggregations and pipelines that stand in the same buckets. Pipelines come in an order in which each finds what it is over. */
export const childrenOf = (
  planned: ReadonlyMap<string, Planned>,
  pipelines: readonly PlannedPipeline[],
  { pace, answered }: Pick<Planning, 'pace' | 'answered'>,
): Children => {
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
  const readFrom = async (
    start: number,
    pending: Promise<Answer>,
    bucket: Bucket,
    answers: Answer,
  ): Promise<Answer> => {
    answers[entries[start]![0]] = await pending;
    for (const [name, one] of entries.slice(start + 1)) answers[name] = await one.read(bucket);
    return withBesides(answers);
  };
  const read = (bucket: Bucket, answers: Answer = {}): Awaitable<Answer> => {
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
