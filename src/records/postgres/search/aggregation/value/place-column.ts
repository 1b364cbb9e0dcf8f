import type { GeoBoundsMetric } from '../../../../../search/aggregation/geo-bounds.js';
import type { GeoCentroidMetric } from '../../../../../search/aggregation/geo-centroid.js';
import type { Stage } from '../bucket/stage.js';
import { pointOrMissing } from './missing-value.js';

/**
 * Adds the coordinates of a record, computed once per record. Returns undefined if no record has the field and there is
 * no default.
 */
export const placeColumns = (metric: GeoBoundsMetric | GeoCentroidMetric, stage: Stage) => {
  const field = pointOrMissing(metric.kind, metric, metric.at, stage);
  if (field === undefined) return undefined;
  return { lat: stage.level.perRecord(field.value, [field]), lon: stage.level.perRecord(field.longitude!, [field]) };
};
