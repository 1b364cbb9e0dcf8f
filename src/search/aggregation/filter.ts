import { parseQuery } from '../query/parse.js';
import type { Query } from '../query/query.js';
import { framed, type ParseAggregation } from './frame.js';
import type { BucketNode } from './node.js';

/** One bucket, of the records that match a query. */
export interface FilterAggregation extends BucketNode<'filter'> {
  readonly filter: Query;
}

export const filter: ParseAggregation = (at, frame) => ({
  kind: 'filter',
  ...framed(frame, at),
  filter: parseQuery(at),
});
