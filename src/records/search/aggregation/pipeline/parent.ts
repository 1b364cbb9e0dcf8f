import { illegalArgument } from '../../failure.js';
import type { ParentPipeline } from '../aggregation.js';
import { type Print, printOf, withText } from '../format.js';
import type { Answer } from '../stage.js';
import { movingFunction } from './moving.js';
import { isAbsent, valueAt } from './path.js';
import { compileScript } from './script.js';

type Of<K extends ParentPipeline['kind']> = Extract<ParentPipeline, { kind: K }>;
type Across = (buckets: readonly Answer[]) => Answer[];
type Plan = { [K in ParentPipeline['kind']]: (pipeline: Of<K>) => Across };

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
const put = (bucket: Answer, name: string, answer: Answer): Answer => ({ ...bucket, [name]: answer });
const printFor = ({ format }: { format?: Parameters<typeof printOf>[1] }): Print => printOf(undefined, format);

const plans: Plan = {
  derivative: (pipeline) => {
    const { name, path, zeros, unitMillis } = pipeline;
    const print = printFor(pipeline);
    return (buckets) =>
      buckets.map((bucket, index) => {
        const before = buckets[index - 1];
        if (before === undefined || isAbsent(before, path)) return bucket;
        const change = valueAt(bucket, path, zeros) - valueAt(before, path, zeros);
        const units = (Number(bucket['key']) - Number(before['key'])) / (unitMillis ?? 1);
        return put(bucket, name, {
          ...withText(finite(change), print),
          ...(unitMillis !== undefined && { normalized_value: finite(change / units) }),
        });
      });
  },
  cumulative_sum: (pipeline) => {
    const print = printFor(pipeline);
    return (buckets) => {
      let sum = 0;
      return buckets.map((bucket) => {
        const value = valueAt(bucket, pipeline.path, pipeline.zeros);
        if (Number.isFinite(value)) sum += value;
        return put(bucket, pipeline.name, withText(sum, print));
      });
    };
  },
  serial_diff: (pipeline) => {
    const { name, path, zeros, lag } = pipeline;
    const print = printFor(pipeline);
    return (buckets) =>
      buckets.map((bucket, index) => {
        const before = buckets[index - lag];
        const change = before === undefined ? Number.NaN : valueAt(bucket, path, zeros) - valueAt(before, path, zeros);
        return Number.isNaN(change) ? bucket : put(bucket, name, withText(change, print));
      });
  },
  moving_fn: (pipeline) => {
    const { name, path, zeros, window, shift, script, at } = pipeline;
    const apply = movingFunction(script, at);
    const print = printFor(pipeline);
    return (buckets) => {
      const values = buckets.map((bucket) => valueAt(bucket, path, zeros));
      const known = values.filter((value) => !Number.isNaN(value));
      const clamp = (index: number) => Math.max(0, Math.min(known.length, index));
      let index = 0;
      return buckets.map((bucket, place) => {
        if (Number.isNaN(values[place]!)) return bucket;
        const result = apply(known.slice(clamp(index - window + shift), clamp(index + shift)));
        index += 1;
        return put(bucket, name, withText(finite(result), print));
      });
    };
  },
  bucket_script: (pipeline) => {
    const evaluate = compileScript(pipeline.script, pipeline.at);
    const print = printFor(pipeline);
    return (buckets) =>
      buckets.map((bucket) => {
        const variables = variablesOf(pipeline, bucket);
        if (Object.values(variables).some(Number.isNaN)) return bucket;
        const result = Number(evaluate(variables));
        return put(bucket, pipeline.name, withText(finite(result), print));
      });
  },
  bucket_selector: (pipeline) => {
    const evaluate = compileScript(pipeline.script, pipeline.at);
    return (buckets) => buckets.filter((bucket) => Boolean(evaluate(variablesOf(pipeline, bucket))));
  },
  bucket_sort: ({ sort, from, size, zeros, at }) => {
    if (sort.some(({ path }) => path === '')) throw illegalArgument('[bucket_sort] needs a path to sort by', at);
    return (buckets) => {
      const keyed = buckets.map((bucket) => ({
        bucket,
        values: sort.map(({ path }) => sortValue(bucket, path, zeros)),
      }));
      const some = keyed.filter(
        ({ values }) => sort.length === 0 || values.some((value) => typeof value === 'string' || !Number.isNaN(value)),
      );
      const sorted = some.sort((a, b) => compareAll(a.values, b.values, sort));
      return sorted.slice(from, size === undefined ? undefined : from + size).map(({ bucket }) => bucket);
    };
  },
};

const variablesOf = (
  { paths, zeros }: Of<'bucket_script' | 'bucket_selector'>,
  bucket: Answer,
): Record<string, number> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, valueAt(bucket, path, zeros)]));

const sortValue = (bucket: Answer, path: string, zeros: boolean): number | string => {
  if (path !== '_key') return valueAt(bucket, path, zeros);
  const key = bucket['key'];
  // Keys of several parts keep the order that they have.
  return typeof key === 'string' ? key : typeof key === 'object' ? 0 : Number(key);
};

const compareAll = (
  a: readonly (number | string)[],
  b: readonly (number | string)[],
  sort: Of<'bucket_sort'>['sort'],
): number => {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [a[index]!, b[index]!];
    // What has no value comes last in either direction.
    if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1;
    if (left !== right && !Number.isNaN(left)) return (left < right ? -1 : 1) * (descending ? -1 : 1);
  }
  return 0;
};

/** Plans what a pipeline makes of the buckets that it stands in. */
export const acrossOf = (pipeline: ParentPipeline): Across =>
  (plans[pipeline.kind] as (pipeline: ParentPipeline) => Across)(pipeline);
