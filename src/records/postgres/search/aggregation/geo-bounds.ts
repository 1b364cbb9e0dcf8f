import sql from 'sql-template-tag';
import type { GeoBoundsMetric } from '../../../../search/aggregation/geo-bounds.js';
import { around } from '../../../answer/grid.js';
import type { Planned, Stage } from './bucket/stage.js';
import { placeColumns } from './value/place-column.js';

/** Plans the smallest box around all locations, which may cross the meridian of 180 degrees. */
export const geoBounds = (metric: GeoBoundsMetric, stage: Stage): Planned => {
  const place = placeColumns(metric, stage);
  if (place === undefined) return { read: () => ({}) };
  const east = sql`case when ${place.lon} >= 0 then ${place.lon} end`;
  const west = sql`case when ${place.lon} < 0 then ${place.lon} end`;
  const edges = [
    sql`max(${place.lat})`,
    sql`min(${place.lat})`,
    sql`min(${west})`,
    sql`max(${west})`,
    sql`min(${east})`,
    sql`max(${east})`,
  ].map((edge) => stage.aggregate((where) => sql`${edge}${where}`));
  return {
    read: (bucket) => {
      const [top, bottom, ...sides] = edges.map(({ cell }) => cell(bucket) as number | null);
      if (top === null) return {};
      const [left, right] = around(sides, metric.wraps);
      return { bounds: { top_left: { lat: top, lon: left }, bottom_right: { lat: bottom, lon: right } } };
    },
  };
};
