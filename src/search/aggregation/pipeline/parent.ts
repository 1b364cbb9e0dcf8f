import { illegalArgument } from '../../failure.js';
import { type Awaitable, chain, type Pace } from '../../pace.js';
import { type Answer, hiddenParts } from '../answer.js';
import { type Print, printOf, withText } from '../format.js';
import type { ParentPipeline } from '../pipeline-node.js';
import { movingFunction } from './moving.js';
import { isAbsent, valueAt } from './path.js';
import { compileScript } from './script.js';

type Of<K extends ParentPipeline['kind']> = Extract<ParentPipeline, { kind: K }>;
type Across = (buckets: readonly Answer[]) => Awaitable<Answer[]>;
type Plan = { [K in ParentPipeline['kind']]: (pipeline: Of<K>, pace: Pace) => Across };

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
const normalized = (value: number | null, print: Print): Answer => ({
  normalized_value: value,
  ...(value !== null && print !== undefined && { normalized_value_as_string: print(value) }),
});
/** Adds to a bucket where it is: with many pipelines, copying it for each would take the square of their number. */
const put = (bucket: Answer, name: string, answer: Answer): Answer => {
  bucket[name] = answer;
  return bucket;
};
const printFor = ({ format }: { format?: Parameters<typeof printOf>[1] }): Print => printOf(undefined, format);

const plans: Plan = {
  derivative: (pipeline, pace) => {
    const { name, path, zeros, unitMillis } = pipeline;
    const print = printFor(pipeline);
    return (buckets) =>
      pace.map(buckets.entries(), ([index, bucket]) => {
        const before = buckets[index - 1];
        const value = valueAt(bucket, path, zeros);
        if (before === undefined || isAbsent(before, path) || isAbsent(bucket, path)) return bucket;
        const change = value - valueAt(before, path, zeros);
        const units = (Number(bucket['key']) - Number(before['key'])) / (unitMillis ?? 1);
        return put(bucket, name, {
          ...withText(finite(change), print),
          // Where another order put a later bucket before an earlier one there is no change per unit of time.
          ...(unitMillis !== undefined && units > 0 && normalized(finite(change / units), print)),
        });
      });
  },
  cumulative_sum: (pipeline, pace) => {
    const print = printFor(pipeline);
    return (buckets) => {
      let sum = 0;
      return pace.map(buckets, (bucket) => {
        const value = valueAt(bucket, pipeline.path, pipeline.zeros);
        if (Number.isFinite(value)) sum += value;
        return put(bucket, pipeline.name, withText(sum, print));
      });
    };
  },
  serial_diff: (pipeline, pace) => {
    const { name, path, zeros, lag } = pipeline;
    const print = printFor(pipeline);
    return (buckets) =>
      pace.map(buckets.entries(), ([index, bucket]) => {
        const before = buckets[index - lag];
        const value = valueAt(bucket, path, zeros);
        const change = before === undefined ? Number.NaN : value - valueAt(before, path, zeros);
        return Number.isNaN(change) ? bucket : put(bucket, name, withText(change, print));
      });
  },
  moving_fn: (pipeline, pace) => {
    const { name, path, zeros, window, shift, script, at } = pipeline;
    const apply = movingFunction(script, at);
    const print = printFor(pipeline);
    return (buckets) =>
      chain(
        pace.map(buckets, (bucket) => valueAt(bucket, path, zeros)),
        (values) => {
          const known = values.filter((value) => !Number.isNaN(value));
          const clamp = (index: number) => Math.max(0, Math.min(known.length, index));
          let index = 0;
          return pace.map(buckets.entries(), ([place, bucket]) => {
            if (Number.isNaN(values[place]!)) return bucket;
            const result = apply(known.slice(clamp(index - window + shift), clamp(index + shift)));
            index += 1;
            return put(bucket, name, withText(finite(result), print));
          });
        },
      );
  },
  bucket_script: (pipeline, pace) => {
    const evaluate = compileScript(pipeline.script, pipeline.at);
    const print = printFor(pipeline);
    return (buckets) =>
      pace.map(buckets, (bucket) => {
        const variables = variablesOf(pipeline, bucket);
        if (Object.values(variables).some(Number.isNaN)) return bucket;
        const result = Number(evaluate(variables));
        return put(bucket, pipeline.name, withText(finite(result), print));
      });
  },
  bucket_selector: (pipeline, pace) => {
    const evaluate = compileScript(pipeline.script, pipeline.at);
    return (buckets) =>
      chain(
        pace.map(buckets, (bucket) => (evaluate(variablesOf(pipeline, bucket)) ? [bucket] : [])),
        (kept) => kept.flat(),
      );
  },
  bucket_sort: ({ sort, from, size, zeros, at }, pace) => {
    if (sort.some(({ path }) => path === '')) throw illegalArgument('[bucket_sort] needs a path to sort by', at);
    return (buckets) =>
      chain(
        pace.map(buckets, (bucket) => ({ bucket, values: sort.map(({ path }) => sortValue(bucket, path, zeros)) })),
        (keyed) => {
          const some = keyed.filter(({ values }) => sort.length === 0 || values.some((parts) => !isNothing(parts)));
          const sorted = some.sort((a, b) => compareAll(a.values, b.values, sort));
          return sorted.slice(from, size === undefined ? undefined : from + size).map(({ bucket }) => bucket);
        },
      );
  },
};

const variablesOf = (
  { paths, zeros }: Of<'bucket_script' | 'bucket_selector'>,
  bucket: Answer,
): Record<string, number> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, valueAt(bucket, path, zeros)]));

type Part = number | string | boolean | null;

/** What a bucket is sorted by: a number, or the parts of its key. */
const sortValue = (bucket: Answer, path: string, zeros: boolean): readonly Part[] => {
  if (path !== '_key') return [valueAt(bucket, path, zeros)];
  const key = bucket['key'];
  if (typeof key !== 'object') return [typeof key === 'string' ? key : Number(key)];
  // Keys of `multi_terms` keep the order that they have, the engines fail at them.
  return (bucket[hiddenParts] ?? []) as readonly Part[];
};

const isNothing = ([first]: readonly Part[]): boolean => Number.isNaN(first);

const compareAll = (
  a: readonly (readonly Part[])[],
  b: readonly (readonly Part[])[],
  sort: Of<'bucket_sort'>['sort'],
): number => {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [a[index]!, b[index]!];
    // What has no value comes last in either direction.
    if (isNothing(left) || isNothing(right)) {
      if (isNothing(left) !== isNothing(right)) return isNothing(left) ? 1 : -1;
      continue;
    }
    const at = left.findIndex((part, place) => part !== right[place]);
    if (at >= 0) return compareParts(left[at]!, right[at]!) * (descending ? -1 : 1);
  }
  return 0;
};

/** Of two different parts; none is the smallest. */
const compareParts = (a: Part, b: Part): number => {
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
};

/** Plans what a pipeline makes of the buckets that it stands in. */
export const acrossOf = (pipeline: ParentPipeline, pace: Pace): Across =>
  (plans[pipeline.kind] as (pipeline: ParentPipeline, pace: Pace) => Across)(pipeline, pace);
