import { parsing, SearchFailure, WrongKind } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { kindOf, nestedArray, type Read, scalarText, text } from '../../syntax/value.js';

/** One key to order buckets by: `_key`, `_count`, or a path to a metric such as `stats.avg`, `p[95.0]`, `filter>max`. */
export interface BucketOrder {
  readonly path: string;
  readonly descending: boolean;
  readonly at: Input;
}

/** Reads an order: one object, or several of one key each. */
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

/** What a path names: aggregations of one bucket each, and in these a metric or, where it has several values, one of them. */
interface Steps {
  readonly around: readonly string[];
  /** The last step as it stands: names of metrics may have dots. */
  readonly whole: string;
  readonly metric: string;
  readonly property: string;
}

/** The steps of a path: only the last may have a property, in brackets or behind a dot; undefined where it is no path. */
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
