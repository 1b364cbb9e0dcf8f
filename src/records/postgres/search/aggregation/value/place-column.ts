import type { GeoBoundsMetric } from '../../../../../search/aggregation/geo-bounds.js';
import type { GeoCentroidMetric } from '../../../../../search/aggregation/geo-centroid.js';
import type { Stage } from '../bucket/stage.js';
import { pointOrMissing } from './missing-value.js';

/** The coordinates of a record, once for each; undefined where nothing has the field and nothing stands in for it. */
export const placeColumns = (metric: GeoBoundsMetric | GeoCentroidMetric, stage: Stage) => {
  const field = pointOrMissing(metric.kind, metric, metric.at, stage);
  if (field === undefined) return undefined;
  return { lat: stage.level.perRecord(field.value, [field]), lon: stage.level.perRecord(field.longitude!, [field]) };
};
