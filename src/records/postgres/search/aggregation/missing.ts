import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { MissingAggregation } from '../../../../search/aggregation/missing.js';
import { recordsWithout } from '../../../../search/aggregation/selection.js';
import { singleBucket } from './bucket/single-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';

/** Plans one bucket of the records without a value. */
export const missing = (aggregation: WithChildren<MissingAggregation>, stage: Stage): Planned =>
  singleBucket(aggregation, stage.filtered(recordsWithout(aggregation, stage.planning)));
