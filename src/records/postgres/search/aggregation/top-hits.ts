import sql from 'sql-template-tag';
import type { TopHitsMetric } from '../../../../search/aggregation/top-hits.js';
import { bindSort } from '../../../../search/hits/bound-sort.js';
import { chain } from '../../../../search/pace.js';
import { hitColumns, shapeHits } from '../hits/hits.js';
import { orderBy, orderKey } from '../sql/order.js';
import type { Planned, Stage } from './bucket/stage.js';

/** Plans the first few records of each bucket. */
export const topHits = ({ from, size, sort, source }: TopHitsMetric, stage: Stage): Planned => {
  const { planning } = stage;
  const keys = bindSort(sort, planning);
  const order = keys.length === 0 ? sql`r.ts desc, r.seq desc` : orderBy(keys.map(orderKey));
  const level = stage.records(
    hitColumns(keys),
    keys.map(({ field }) => field),
    { from, size, order },
  );
  const count = stage.count();
  const shape = shapeHits({
    sort: keys,
    source,
    fields: [],
    times: planning.times,
    organizationId: planning.scope.organizationId,
  });
  planning.needDevices(() => level.allRecords());
  return {
    read: (bucket) =>
      chain(
        planning.pace.map(level.recordsOf(bucket), (record) => shape(record, planning.devices())),
        (hits) => ({ hits: { total: { value: count(bucket), relation: 'eq' }, max_score: null, hits } }),
      ),
  };
};
