import sql from 'sql-template-tag';
import type { GeoCentroidMetric } from '../../../../search/aggregation/geo-centroid.js';
import type { Planned, Stage } from './bucket/stage.js';
import { placeColumns } from './value/place-column.js';

/** Plans the mean of all locations. */
export const geoCentroid = (metric: GeoCentroidMetric, stage: Stage): Planned => {
  const place = placeColumns(metric, stage);
  if (place === undefined) return { read: () => ({ count: 0 }) };
  const [lat, lon, count] = [sql`avg(${place.lat})`, sql`avg(${place.lon})`, sql`count(${place.lat})`].map((one) =>
    stage.aggregate((where) => sql`${one}${where}`),
  );
  return {
    read: (bucket) => {
      const found = Number(count!.cell(bucket) ?? 0);
      return found === 0
        ? { count: 0 }
        : { location: { lat: lat!.cell(bucket), lon: lon!.cell(bucket) }, count: found };
    },
  };
};
