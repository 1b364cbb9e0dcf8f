import { daySeconds } from '#common/time.js';
import { columnsOf, decodeGrid, type FleetColumn, type FleetPart, type ReadPart } from '#records/blocks/fleet-sum.js';
import { partOf } from '#records/postgres/blocks/fleet-table.js';
import { dayText } from '#records/postgres/blocks/noted-day.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { Tile } from './tile.js';

/** Sums of all devices of a product in a segment of time. */
export interface TileSegment {
  readonly tile: Tile;
  /** Unix seconds. */
  readonly start: number;
  /** Devices of the tile, in ascending order. */
  readonly devices: Int32Array;
  /** Indexes of those in the segment; undefined for all of them. */
  readonly places: Int32Array | undefined;
  /** Number of devices in the segment. */
  readonly count: number;
  /** Index of the first device in the columns. */
  readonly offset: number;
  readonly columns: Readonly<Partial<Record<FleetPart, FleetColumn>>>;
}

/** Tiles that are read and decoded at once: those of some days. */
export type TileChunk = readonly Tile[];

/** Number of bytes up to which tiles are in memory at once, apart from those of one day. */
const chunkBytes = 2 * 1024 * 1024;

/**
 * Splits tiles, which are in order of time, into chunks of whole days.
 * @returns undefined if a tile lacks a part
 */
export const chunkTiles = async (
  reader: QueryReader,
  tiles: readonly Tile[],
  parts: readonly FleetPart[],
): Promise<TileChunk[] | undefined> => {
  if (tiles.length === 0) return [];
  const listed = [...new Map(tiles.map((tile) => [keyOf(tile), tile])).values()];
  const sizes = new Map(
    await reader.copy(
      `select source, level, day - 'epoch'::date, sum(octet_length(cells))::int4, count(*)::int4 from record_fleet_sum
        where part in (${listOf(parts)}) and (${whereOf(listed)}) group by 1, 2, 3`,
      (fields): [string, { bytes: number; parts: number }] => {
        const [source, level, day] = [fields.integer()!, String.fromCharCode(fields.integer()!), fields.integer()!];
        return [`${source} ${level} ${day}`, { bytes: fields.integer()!, parts: fields.integer()! }];
      },
    ),
  );
  if ([...sizes.values()].some((size) => size.parts < parts.length)) return undefined;
  const chunks: Tile[][] = [];
  let [bytes, day] = [Number.POSITIVE_INFINITY, Number.NaN];
  for (const tile of tiles.toSorted((a, b) => a.from - b.from)) {
    const size = sizes.get(keyOf(tile));
    if (size === undefined) continue;
    const of = Math.floor(tile.from / daySeconds);
    if (bytes > chunkBytes && of !== day) {
      chunks.push([]);
      bytes = 0;
    }
    day = of;
    bytes += size.bytes;
    chunks.at(-1)!.push(tile);
  }
  return chunks;
};

const keyOf = ({ source, level, day }: Tile): string => `${source} ${level} ${day}`;

const listOf = (parts: readonly FleetPart[]): string => parts.map((part) => `'${part}'`).join();

/** SQL condition of the rows of tiles. COPY takes no parameters. */
const whereOf = (tiles: readonly Tile[]): string =>
  [...Map.groupBy(tiles, ({ source, slot, level }) => `source = ${source} and slot = ${slot} and level = '${level}'`)]
    .map(([of, some]) => `${of} and day = any('{${some.map(({ day }) => dayText(day)).join()}}'::date[])`)
    .join(' or ');

/** Reads the segments of a chunk, in order of time. */
export const loadChunk = async (
  reader: QueryReader,
  chunk: TileChunk,
  parts: readonly FleetPart[],
): Promise<TileSegment[]> => {
  const read = new Map<string, Map<FleetPart, ReadPart>>();
  const listed = [...new Map(chunk.map((tile) => [keyOf(tile), tile])).values()];
  // A part that equals another one may need one that is not wanted.
  const others = parts.includes('i')
    ? 'null'
    : `select same from record_fleet_sum where part in (${listOf(parts)}) and (${whereOf(listed)})`;
  await reader.copy(
    `select source, level, day - 'epoch'::date, part, same, cells from record_fleet_sum
      where (part in (${listOf(parts)}) or part in (${others})) and (${whereOf(listed)})`,
    (fields) => {
      const key = `${fields.integer()!} ${String.fromCharCode(fields.integer()!)} ${fields.integer()!}`;
      const [part, same, cells] = [partOf(fields.integer()!), fields.integer(), fields.raw()!];
      const known = read.get(key) ?? new Map<FleetPart, ReadPart>();
      read.set(key, known.set(part, { cells, ...(same !== null && { same: partOf(same) }) }));
    },
  );
  const segments: TileSegment[] = [];
  const decoded = new Map<string, TileSegment[]>();
  for (const tile of chunk) {
    await reader.pace.begin();
    const key = keyOf(tile);
    const all = decoded.get(key) ?? decodeTile(tile, read.get(key)!);
    decoded.set(key, all);
    for (const segment of all)
      if (tile.level === 'm' || (segment.start >= tile.from && segment.start < tile.to)) segments.push(segment);
  }
  return segments.sort((a, b) => a.start - b.start);
};

const decodeTile = (tile: Tile, read: ReadonlyMap<FleetPart, ReadPart>): TileSegment[] => {
  const grid = decodeGrid(read.get('g')!.cells);
  const columns = columnsOf(read);
  let next = 0;
  return Array.from(grid.starts, (start, index) => {
    const count = grid.counts[index]!;
    next += count;
    const { devices } = grid;
    return { tile, start, devices, places: grid.placesOf(index), count, offset: next - count, columns };
  });
};
