import { geoGraticule10, geoMercator, geoPath } from 'd3-geo';
import { useMemo } from 'preact/hooks';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';

/** A point on the map. */
export interface MapPoint {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly href?: string;
}

export interface MapProps {
  readonly label: string;
  readonly places: readonly MapPoint[];
}

const [width, height] = [640, 320];
/** Minimum margin that is shown around points, in degrees. */
const margin = 5;
/** Free space at the edges in pixels, so that no marker is cut. */
const markRoom = 8;
/** Northernmost latitude that is shown, as Mercator's projection has no poles. */
const northernmost = 84;

const topology = world as unknown as Topology<{ land: GeometryCollection; countries: GeometryCollection }>;
const land = feature(topology, topology.objects.land);
const borders = mesh(topology, topology.objects.countries, (a, b) => a !== b);

/** Shows points on outlines of land and countries. Nothing is loaded from another host. */
export function OutlineMap({ label, places }: MapProps) {
  const { paths, points } = useMemo(() => drawn(places), [places]);
  return (
    <svg class="map" viewBox={`0 0 ${width} ${height}`} role="group" aria-label={label}>
      <path class="graticule" d={paths.graticule} />
      <path class="land" d={paths.land} />
      <path class="borders" d={paths.borders} />
      {points.map(({ place: { id, name, href }, x, y }) => {
        const mark = (
          <circle cx={x} cy={y} r="5">
            <title>{name}</title>
          </circle>
        );
        return href === undefined ? (
          <g key={id}>{mark}</g>
        ) : (
          <a key={id} href={href} aria-label={name}>
            {mark}
          </a>
        );
      })}
    </svg>
  );
}

const drawn = (places: readonly MapPoint[]) => {
  const lats = places.map(({ lat }) => lat);
  const lons = places.map(({ lon }) => lon);
  const [south, north] = [Math.min(...lats) - margin, Math.max(...lats) + margin].map((lat) =>
    Math.max(-northernmost, Math.min(northernmost, lat)),
  ) as [number, number];
  const [west, east] = [Math.min(...lons) - margin * 2, Math.max(...lons) + margin * 2];
  const corners = [
    [west, south],
    [east, south],
    [west, north],
    [east, north],
  ];
  const projection = geoMercator()
    .rotate([-(west + east) / 2, 0])
    .fitExtent(
      [
        [markRoom, markRoom],
        [width - markRoom, height - markRoom],
      ],
      { type: 'MultiPoint', coordinates: corners },
    )
    .clipExtent([
      [0, 0],
      [width, height],
    ]);
  const path = geoPath(projection).digits(1);
  const points = places.flatMap((place) => {
    const at = projection([place.lon, Math.max(-northernmost, Math.min(northernmost, place.lat))]);
    return at === null ? [] : [{ place, x: at[0], y: at[1] }];
  });
  return {
    paths: { graticule: path(geoGraticule10()) ?? '', land: path(land) ?? '', borders: path(borders) ?? '' },
    points,
  };
};
