import { illegalArgument, numberFormat, SearchFailure } from '#search/search-failure.js';
import { type Answer, hiddenClass, hiddenKey } from '../aggregation-answer.js';

/** Returns the value at a path inside the answers of one bucket; NaN without one. */
export const valueAt = (bucket: Answer, path: string, zeros: boolean): number => {
  const value = raw(bucket, path);
  if (path === '_count') return value;
  const gap = !Number.isFinite(value) || bucket['doc_count'] === 0;
  return gap ? (zeros ? 0 : Number.NaN) : value;
};

/** Whether a bucket lacks the first step of a path, because a pipeline had no answer there. */
export const isAbsent = (bucket: Answer, path: string): boolean => {
  const [step = ''] = path.split('>');
  if (step.startsWith('_') || bucket[step.trim()] !== undefined) return false;
  const chosen = chosenBy(bucket, step.trim());
  if (chosen !== undefined) return chosen.bucket === undefined;
  const around = bucket[stepName(step.trim())] as Answer | undefined;
  return around === undefined || ('buckets' in around && !step.trim().endsWith('._bucket_count'));
};

/** Returns a step without its property: `a` of `a[b]` and `a.b`. */
export const stepName = (step: string): string => {
  const at = propertyAt(step);
  return at < 0 ? step : step.slice(0, at);
};

/** Returns the position of a step's property, at a closed bracket or at a dot; -1 without one. */
const propertyAt = (step: string, from = 0): number => {
  const [dot, bracket] = [step.indexOf('.', from), step.endsWith(']') ? step.slice(0, -1).indexOf('[', from) : -1];
  return dot < 0 || (bracket >= 0 && bracket < dot) ? bracket : dot;
};

/** Returns the steps of a sibling pipeline's path. In a path without `>`, the last dot begins the second step. */
export const stepsBeside = (path: string, isNamed: (name: string) => boolean): string[] => {
  const dot = path.lastIndexOf('.');
  const isOne = path.includes('>') || path.endsWith(']') || isNamed(path.trim());
  return isOne || dot < 0 ? path.split('>') : [path.slice(0, dot), path.slice(dot + 1)];
};

/** Returns the buckets that all steps but the last lead to, and the path inside each. */
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
  const [first = ''] = path.split('>');
  return numberAt(bucket, path, stepName(first.trim()));
};

/** @param name first aggregation of the whole path, which errors name */
const numberAt = (bucket: Answer, path: string, name: string): number => {
  if (path === '_count') return Number(bucket['doc_count'] ?? 0);
  if (path === '_key') return Number(bucket['key']);
  const [first = '', ...rest] = path.split('>');
  const step = first.trim();
  const whole = bucket[step] as Answer | undefined;
  const chosen = whole === undefined ? chosenBy(bucket, step) : undefined;
  if (chosen !== undefined) {
    if (chosen.bucket === undefined) return Number.NaN;
    if (rest.length === 0) throw notOneNumber('Bucket', name);
    return numberAt(chosen.bucket, rest.join('>'), name);
  }
  if (rest.length > 0) {
    const inner = whole ?? (bucket[stepName(step)] as Answer | undefined);
    if (inner !== undefined && 'buckets' in inner) throw notOneNumber('Object[]', name);
    return whole === undefined ? Number.NaN : numberAt(whole, rest.join('>'), name);
  }
  if (whole === undefined) return propertyOf(bucket, step, name);
  if (typeof whole !== 'object') return Number.NaN;
  if ('value' in whole) return numeric(whole['value']);
  const ofClass = whole[hiddenClass];
  throw ofClass === undefined ? severalNumbers(name) : notOneNumber(ofClass, name);
};

/** Returns the bucket that a step selects by key, as in `a['x']`; undefined for a step without a key. */
const chosenBy = (around: Answer, step: string): { bucket: Answer | undefined } | undefined => {
  const [, name = '', key] = /^([^[]*)\['(.*)'\]$/.exec(step) ?? [];
  const whole = around[name] as Answer | undefined;
  if (key === undefined || !whole?.['buckets']) return undefined;
  const textOf = (bucket: Answer) => bucket['key_as_string'] ?? bucket[hiddenKey] ?? bucket['key'];
  return { bucket: listOf(whole['buckets']).find((bucket) => String(textOf(bucket)) === key) };
};

/** Returns the value of a step with a property, such as `a.avg`, `a[50]`, `a._bucket_count`; NaN without one. */
const propertyOf = (bucket: Answer, step: string, first: string): number => {
  const at = propertyAt(step, 1);
  const name = step.slice(0, Math.max(0, at));
  const metric = bucket[name] as Answer | undefined;
  const property = step.slice(at + 1, step[at] === '[' ? -1 : undefined);
  if (metric === undefined) return Number.NaN;
  if ('buckets' in metric) {
    const buckets = listOf(metric['buckets'] ?? []);
    if (property === '_bucket_count') return buckets.length;
    // For no buckets, the engines report an empty list; for some, that the buckets lack the property.
    const [one] = buckets;
    if (one === undefined || property === '_count' || property in one) throw notOneNumber('Object[]', first);
    return Number.NaN;
  }
  if (property === '_count') return numeric(metric['doc_count']);
  if (metric['values'] !== undefined) {
    if (Number.isNaN(Number(property)))
      throw illegalArgument(`No percentile for [${property}]`, undefined, numberFormat(property));
    return percentAt(metric['values'], Number(property));
  }
  if ('doc_count' in metric && typeof metric[property] === 'object') return numberAt(metric, property, first);
  const value = property in metric ? metric[property] : boundAt(metric, property);
  if (value === undefined) throw illegalArgument(noProperty(metric, name, property));
  return numeric(value);
};

const noProperty = (metric: Answer, name: string, property: string): string => {
  const ofClass = metric[hiddenClass] ?? '';
  if ('doc_count' in metric) return `Cannot find an aggregation named [${property}] in [${name}]`;
  if (ofClass.startsWith('InternalGeo')) return `Found unknown path element [${property}] in [${name}]`;
  if ('value' in metric || 'hits' in metric) return `path not supported for [${name}]: [${property}]`;
  return `No enum constant org.opensearch.search.aggregations.metrics.InternalStats.Metrics.${property}`;
};

/** @param ofClass the engines' class of the path's target, which their message names */
const notOneNumber = (ofClass: string, name: string) => notANumber(`got: [${ofClass}] at aggregation [${name}]`);

const severalNumbers = (name: string) =>
  notANumber(`but [${name}] contains multiple values. Please specify which to use.`);

const notANumber = (what: string) =>
  new SearchFailure(
    400,
    'aggregation_execution_exception',
    `buckets_path must reference either a number value or a single value numeric metric aggregation, ${what}`,
  );

const percentAt = (values: unknown, percent: number): number => {
  if (Array.isArray(values))
    return numeric((values as { key: number; value: unknown }[]).find(({ key }) => key === percent)?.value);
  const found = Object.entries(values as Answer).find(([key]) => Number(key) === percent);
  return numeric(found?.[1]);
};

/** `std_upper` and similar properties are inside `std_deviation_bounds`. */
const boundAt = (metric: Answer, property: string): unknown => {
  const bounds = metric['std_deviation_bounds'] as Answer | undefined;
  return bounds?.[property.replace(/^std_/, '')];
};

const numeric = (value: unknown): number =>
  typeof value === 'number' ? value : value === null || value === undefined ? Number.NaN : Number(value);
