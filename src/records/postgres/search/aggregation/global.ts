import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { GlobalAggregation } from '../../../../search/aggregation/global.js';
import { badAggregation } from '../../../../search/failure.js';
import type { Bucket } from './bucket/bucket.js';
import { Level } from './bucket/level.js';
import { singleBucket } from './bucket/single-bucket.js';
import { type Planned, Stage } from './bucket/stage.js';

/** Plans one bucket of all records in scope, whatever the query. */
export const global = (aggregation: WithChildren<GlobalAggregation>, stage: Stage): Planned => {
  const { planning } = stage;
  if (!stage.isTop) {
    throw badAggregation(
      `Aggregation cannot have a global sub-aggregation [${aggregation.name}]. Global aggregations can only be defined as top level aggregations`,
      aggregation.at,
    );
  }
  const level = new Level({ scope: planning.scope, where: [], keys: [] });
  planning.levels.push(level);
  return singleBucket(aggregation, new Stage(planning, level), () => level.bucketsOf(noneAround)[0] ?? noneAround);
};

const noneAround: Bucket = { id: '[]' };
