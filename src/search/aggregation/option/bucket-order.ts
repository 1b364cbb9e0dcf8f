import { parsing, SearchFailure, WrongKind } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { kindOf, nestedArray, type Read, scalarText, text } from '#search/syntax/value.js';

/** A sort key of buckets: `_key`, `_count`, or a path to a metric such as `stats.avg`, `p[95.0]`, `filter>max`. */
export interface BucketOrder {
  readonly path: string;
  readonly descending: boolean;
  readonly at: Input;
}

/** Parses an order: one object, or several objects with one key each. */
export const bucketOrder: Read<BucketOrder[]> = (input) => {
  if (!input.isObject && !input.isArray) throw new WrongKind('[order] must be an object', input, kindOf(input));
  if (input.isArray && input.items().length === 0) throw parsing('Must specify at least one field for [order]', input);
  return input.items().map((item) => {
    if (item.isArray) throw nestedArray(item);
    const [entry, second] = item.members();
    if (entry === undefined || second !== undefined) throw parsing('Must specify at least one field for [order]', item);
    if (scalarText(entry.input) === undefined)
      throw parsing(`Unexpected token [${kindOf(entry.input)}] for [order]`, entry.input);
    const direction = text(entry.input).toLowerCase();
    if (direction !== 'asc' && direction !== 'desc')
      throw parsing(`Unknown order direction [${direction}]`, entry.input);
    const path = entry.key === '_term' || entry.key === '_time' ? '_key' : entry.key;
    if (stepsOf(path) === undefined)
      throw new SearchFailure(
        400,
        'aggregation_execution_exception',
        `Invalid path element in path [${path}]`,
        entry.place,
      );
    return { path, descending: direction === 'desc', at: entry.input };
  });
};

/** Steps of a path: single-bucket aggregations, and a metric inside them or, if it has several values, one of these. */
interface Steps {
  readonly around: readonly string[];
  /** The unsplit last step, because names of metrics may contain dots. */
  readonly whole: string;
  readonly metric: string;
  readonly property: string;
}

/**
 * Splits a path into steps. Only the last may have a property, in brackets or after a dot. Returns undefined for an
 * invalid path.
 */
export const stepsOf = (path: string): Steps | undefined => {
  const steps = path.split('>').map((step) => step.trim());
  const [whole = '', ...before] = steps.filter((step) => step !== '').toReversed();
  const around = before.toReversed();
  const bracket = whole.lastIndexOf('[');
  const at = bracket >= 0 ? bracket : whole.lastIndexOf('.');
  if (at < 0) return { around, whole, metric: whole, property: '' };
  const property = bracket >= 0 ? whole.slice(at + 1, -1) : whole.slice(at + 1);
  if (at === 0 || property === '' || (bracket >= 0 && !whole.endsWith(']'))) return undefined;
  return { around, whole, metric: whole.slice(0, at), property };
};
