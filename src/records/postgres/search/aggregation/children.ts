import type { Answer } from '../../../../search/aggregation/answer.js';
import type { Bucket } from './bucket.js';
import type { Children, Planned } from './stage.js';

/** A pipeline, planned: what it makes of the answers beside it, or of the buckets that it stands in. */
export interface PlannedPipeline {
  readonly name: string;
  /** Over answers beside it: its own answer. */
  beside?(answers: Answer): Answer;
  /** Over the buckets that it stands in. */
  across?(buckets: readonly Answer[]): Answer[];
}

/** Joins aggregations and pipelines that stand in the same buckets. Pipelines come in an order in which each finds what it is over. */
export const childrenOf = (planned: ReadonlyMap<string, Planned>, pipelines: readonly PlannedPipeline[]): Children => ({
  get: (name) => planned.get(name),
  read: (bucket: Bucket) => {
    const answers: Answer = Object.fromEntries([...planned].map(([name, one]) => [name, one.read(bucket)]));
    for (const { name, beside } of pipelines) if (beside !== undefined) answers[name] = beside(answers);
    return answers;
  },
  across: (buckets) =>
    pipelines.reduce<Answer[]>((done, { across }) => (across === undefined ? done : across(done)), [...buckets]),
});
