import sql from 'sql-template-tag';
import type { GeoMetric } from './aggregation.js';
import type { Planned, Stage } from './stage.js';
import { placeOr } from './stand-in.js';

const placeOf = (metric: GeoMetric, stage: Stage) => {
  const field = placeOr(metric.kind, metric, metric.at, stage);
  if (field === undefined) return undefined;
  return { lat: stage.level.perRecord(field.value, [field]), lon: stage.level.perRecord(field.longitude!, [field]) };
};

/** The smallest box around all places. */
export const geoBounds = (metric: GeoMetric, stage: Stage): Planned => {
  const place = placeOf(metric, stage);
  if (place === undefined) return { read: () => ({}) };
  const [top, left, bottom, right] = [
    sql`max(${place.lat})`,
    sql`min(${place.lon})`,
    sql`min(${place.lat})`,
    sql`max(${place.lon})`,
  ].map((edge) => stage.aggregate((where) => sql`${edge}${where}`));
  return {
    read: (bucket) => {
      if (top!.cell(bucket) === null) return {};
      const corner = (lat: typeof top, lon: typeof top) => ({ lat: lat!.cell(bucket), lon: lon!.cell(bucket) });
      return { bounds: { top_left: corner(top, left), bottom_right: corner(bottom, right) } };
    },
  };
};

/** The mean of all places. */
export const geoCentroid = (metric: GeoMetric, stage: Stage): Planned => {
  const place = placeOf(metric, stage);
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
