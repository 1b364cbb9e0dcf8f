import { parseQuery } from '../query/parse.js';
import type { Query } from '../query/query.js';
import { named, type ParseAggregation } from './frame.js';
import type { Node } from './node.js';

/** One bucket of the records that match a query. */
export interface FilterAggregation extends Node<'filter'> {
  readonly filter: Query;
}

export const filter: ParseAggregation<FilterAggregation> = (at, frame) => ({
  kind: 'filter',
  ...named(frame, at),
  filter: parseQuery(at),
});
