import type { Dice } from './dice.js';
import type { Plain } from './plain.js';

const scripts = ['params.c >= 0', 'true', 'params.c > -1 && params.c < 1e9'];
/** Names that sort before and after those of other pipeline aggregations, by letters and by hash. */
const names = ['A', 'ql', 'qd', 's', '~'];
const parentPipelines = ['derivative', 'cumulative_sum', 'serial_diff', 'bucket_sort', 'moving_fn'];

const isParentPipeline = (one: unknown): boolean =>
  one !== null && typeof one === 'object' && parentPipelines.some((kind) => kind in one);

/**
 * Adds selectors that keep every bucket, before, between and after the pipeline aggregations. The tests' OpenSearch has
 * no scripts: it receives the query without them, and answers the same.
 */
export const withSelectors = (dice: Dice, body: Plain): Plain => {
  const walk = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(walk);
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, walk(inner)]);
    if (!entries.some(([, inner]) => isParentPipeline(inner)) || !dice.chance(0.4)) return Object.fromEntries(entries);
    const selector = { bucket_selector: { buckets_path: { c: '_count' }, script: dice.pick(...scripts) } };
    return Object.fromEntries(entries.toSpliced(dice.below(entries.length + 1), 0, [dice.pick(...names), selector]));
  };
  return walk(body) as Plain;
};

/** Returns a query without selectors, for an OpenSearch without scripts. */
export const withoutSelectors = (body: Plain): Plain => {
  const walk = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(walk);
    const kept = Object.entries(value).filter(([, inner]) => !isSelector(inner));
    return Object.fromEntries(kept.map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(body) as Plain;
};

const isSelector = (one: unknown): boolean => one !== null && typeof one === 'object' && 'bucket_selector' in one;
