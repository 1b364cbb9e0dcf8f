import { useMemo } from 'preact/hooks';
import { isWall } from '../../../api/session.js';
import { LazyMap } from '../../../components/map/lazy-map.js';
import { counted } from '../../../format/value.js';
import type { MapResult } from '../data/results.js';

/** Devices on outlines of the land. Those that are close together are one mark, which a click opens. */
export function MapBody({ label, result: { places, unplaced, left } }: { label: string; result: MapResult }) {
  const marked = useMemo(
    () =>
      places.map(({ isAlerted, ...place }) => ({
        ...place,
        ...(isAlerted && { tone: 'bad' as const }),
        ...(!isWall && { href: `/console/devices/${place.id}` }),
      })),
    [places],
  );
  const alerted = places.filter(({ isAlerted }) => isAlerted).length;
  return (
    <>
      <LazyMap label={label} places={marked} clusters />
      <p class="panel-foot quiet">
        {counted(places.length, 'device')}
        {alerted > 0 && `, ${alerted.toLocaleString()} with open alerts`}
        {unplaced > 0 && `, ${unplaced.toLocaleString()} without a place`}
        {left > 0 && `, ${left.toLocaleString()} more not shown`}
      </p>
    </>
  );
}
