import { illegalArgument, numberFormat, SearchFailure } from '../../failure.js';
import type { Answer } from '../answer.js';

/** The value that a path leads to inside the answers of one bucket; NaN where there is none. */
export const valueAt = (bucket: Answer, path: string, zeros: boolean): number => {
  const value = raw(bucket, path);
  if (path === '_count') return value;
  const gap = !Number.isFinite(value) || bucket['doc_count'] === 0;
  return gap ? (zeros ? 0 : Number.NaN) : value;
};

/** Whether a bucket lacks what a path begins with: a pipeline that had nothing to say there. */
export const isAbsent = (bucket: Answer, path: string): boolean => {
  const [step = ''] = path.split('>');
  if (step.startsWith('_') || bucket[step.trim()] !== undefined) return false;
  const around = bucket[nameOf(step.trim())] as Answer | undefined;
  return around === undefined || ('buckets' in around && !step.trim().endsWith('._bucket_count'));
};

/** A step without its property: `a` of `a[b]` and `a.b`. */
export const nameOf = (step: string): string => {
  const at = propertyAt(step);
  return at < 0 ? step : step.slice(0, at);
};

/** Where the property of a step begins, at a bracket that is closed or at a dot; -1 where it has none. */
const propertyAt = (step: string, from = 0): number => {
  const [dot, bracket] = [step.indexOf('.', from), step.endsWith(']') ? step.slice(0, -1).indexOf('[', from) : -1];
  return dot < 0 || (bracket >= 0 && bracket < dot) ? bracket : dot;
};

/** Returns the steps of a path beside buckets: of one without `>`, a last dot begins the second step. */
export const stepsBeside = (path: string, isNamed: (name: string) => boolean): string[] => {
  const dot = path.lastIndexOf('.');
  const isOne = path.includes('>') || path.endsWith(']') || isNamed(path.trim());
  return isOne || dot < 0 ? path.split('>') : [path.slice(0, dot), path.slice(dot + 1)];
};

/** The buckets that all steps but the last lead to, and the path inside each. */
export const bucketsAt = (answers: Answer, path: string): { buckets: Answer[]; inner: string } => {
  const steps = stepsBeside(path, (name) => answers[name] !== undefined);
  let around = answers;
  for (const [index, step] of steps.entries()) {
    const next = around[step.trim()] as Answer | undefined;
    const buckets = next?.['buckets'];
    if (buckets !== undefined && buckets !== null) {
      return { buckets: listOf(buckets), inner: steps.slice(index + 1).join('>') || '_count' };
    }
    if (next === undefined) break;
    around = next;
  }
  return { buckets: [], inner: '' };
};

const listOf = (buckets: unknown): Answer[] =>
  Array.isArray(buckets)
    ? (buckets as Answer[])
    : Object.entries(buckets as Record<string, Answer>).map(([key, bucket]) => ({ key, ...bucket }));

const raw = (bucket: Answer, path: string): number => {
  if (path === '_count') return Number(bucket['doc_count'] ?? 0);
  if (path === '_key') return Number(bucket['key']);
  const [step = '', ...rest] = path.split('>');
  if (rest.length > 0) {
    const inner = bucket[step.trim()] as Answer | undefined;
    if (inner !== undefined && 'buckets' in inner) throw notOneNumber(step.trim());
    return inner === undefined ? Number.NaN : raw(inner, rest.join('>'));
  }
  return metricAt(bucket, step.trim());
};

const metricAt = (bucket: Answer, step: string): number => {
  const whole = bucket[step] as Answer | undefined;
  if (whole !== undefined && !('value' in whole)) throw 'buckets' in whole ? notOneNumber(step) : severalNumbers(step);
  if (whole !== undefined) return numeric(whole['value']);
  const at = propertyAt(step, 1);
  const name = step.slice(0, Math.max(0, at));
  const metric = bucket[name] as Answer | undefined;
  const property = step.slice(at + 1, step[at] === '[' ? -1 : undefined);
  if (metric === undefined) return Number.NaN;
  if (property === '_count') return numeric(metric['doc_count']);
  if (property === '_bucket_count') return listOf(metric['buckets'] ?? []).length;
  const values = metric['values'];
  if (values !== undefined) {
    if (Number.isNaN(Number(property)))
      throw illegalArgument(`No percentile for [${property}]`, undefined, numberFormat(property));
    return percentAt(values, Number(property));
  }
  if ('buckets' in metric) {
    // Of no buckets the engines make a list of nothing, of some they find that these have no such property.
    const [bucket] = listOf(metric['buckets']);
    if (bucket === undefined || property in bucket) throw notOneNumber(step);
    return Number.NaN;
  }
  const value = property in metric ? metric[property] : boundAt(metric, property);
  if (value === undefined) throw illegalArgument(`No enum constant for [${property}] of [${name}]`);
  return numeric(value);
};

const notOneNumber = (step: string) =>
  new SearchFailure(
    400,
    'aggregation_execution_exception',
    `buckets_path must reference either a number value or a single value numeric metric aggregation, which [${step}] is not`,
  );

const severalNumbers = (step: string) =>
  new SearchFailure(
    400,
    'aggregation_execution_exception',
    `buckets_path must reference either a number value or a single value numeric metric aggregation, but [${step}] contains multiple values. Please specify which to use.`,
  );

const percentAt = (values: unknown, percent: number): number => {
  if (Array.isArray(values))
    return numeric((values as { key: number; value: unknown }[]).find(({ key }) => key === percent)?.value);
  const found = Object.entries(values as Answer).find(([key]) => Number(key) === percent);
  return numeric(found?.[1]);
};

/** `std_upper` and its like are inside `std_deviation_bounds`. */
const boundAt = (metric: Answer, property: string): unknown => {
  const bounds = metric['std_deviation_bounds'] as Answer | undefined;
  return bounds?.[property.replace(/^std_/, '')];
};

const numeric = (value: unknown): number =>
  typeof value === 'number' ? value : value === null || value === undefined ? Number.NaN : Number(value);
