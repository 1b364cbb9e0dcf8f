import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { FilterAggregation } from '../../../../search/aggregation/filter.js';
import { recordsMatching } from '../../../../search/aggregation/selection.js';
import { singleBucket } from './bucket/single-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';

/** Plans one bucket of the records that match a query. */
export const filter = (aggregation: WithChildren<FilterAggregation>, stage: Stage): Planned =>
  singleBucket(aggregation, stage.filtered(recordsMatching(aggregation, stage.planning)));
