import { parsing, WrongKind } from '../../failure.js';
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
    return { path, descending: direction === 'desc', at: entry.input };
  });
};
