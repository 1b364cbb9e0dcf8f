import type { TopHitsMetric } from '../../../../search/aggregation/top-hits.js';
import { bindSort } from '../../../../search/hits/bound-sort.js';
import { chain } from '../../../../search/pace.js';
import { hitOf } from '../../../answer/hit.js';
import type { EngineHits } from '../../engine.js';
import { hitParts, recordOfHit } from '../hit.js';
import { orderOfKeys } from '../order.js';
import type { Bucket } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';

/** Plans the first records of each bucket. */
export const topHits = ({ from, size, sort, source }: TopHitsMetric, stage: Stage): Planned => {
  const { planning } = stage;
  const keys = bindSort(sort, planning);
  const order = orderOfKeys(keys, planning.compiler.fields);
  // The engine does not accept a size of 0.
  const question = stage.ask('top_hits', { from, size: Math.max(1, size), sort: order, ...hitParts });
  const count = stage.count();
  const terms = { older: planning.compiler.fields.older, names: planning.names };
  const make = hitOf({
    sort: keys,
    source,
    fields: [],
    times: planning.times,
    organizationId: planning.organizationId,
  });
  const hitsIn = (bucket: Bucket) =>
    ((question.answerIn(bucket)?.['hits'] as EngineHits | undefined)?.hits ?? []).slice(0, size);
  return {
    asked: question.asked,
    visit: (bucket) => planning.needDevices(hitsIn(bucket)),
    read: (bucket) =>
      chain(
        planning.pace.map(hitsIn(bucket), (hit) => make(recordOfHit(hit, keys, terms), planning.devices())),
        (hits) => ({ hits: { total: { value: count(bucket), relation: 'eq' }, max_score: null, hits } }),
      ),
  };
};
