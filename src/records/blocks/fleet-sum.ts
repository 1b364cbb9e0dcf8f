import type { Cells } from './block-column.js';
import { numberParts, Segment } from './fleet-segment.js';
import { encodeNumbers, powers } from './number-column.js';

/**
 * Parts of the sums of all devices of a product, of a slot: `g` the segments of time and the devices with values in each.
 * Of each segment and device: `n` the number of values, `s` their sum, `l` the lowest, `h` the highest, `f` the first, `t`
 * the last, `i` the increase of a counter, by which a fall is a reset.
 */
export type FleetPart = 'g' | NumberPart;
type NumberPart = (typeof numberParts)[number];

/** Lengths of segments: an hour, and a day or a month of the organization's time zone. Days end at midnight of UTC, too. */
export type FleetLevel = 'h' | 'd' | 'm';

/** A part as it is stored: bytes, or the part that has the same values. */
export interface StoredPart {
  part: FleetPart;
  same?: FleetPart;
  cells: Buffer;
}

/** A column that falls more often than at one in 64 values is no counter, and has no increase. */
const mostFalls = 64;

/** Encodes segments that are in order of time. */
export const encodeFleet = (segments: readonly Segment[]): StoredPart[] => {
  const stored: StoredPart[] = [{ part: 'g', cells: encodeGrid(segments) }];
  const columns = new Map<FleetPart, number[]>();
  const add = (part: NumberPart) => {
    const values = segments.flatMap((segment) => segment[part]);
    const same = [...columns].find(([, other]) => other.every((value, index) => Object.is(value, values[index])))?.[0];
    if (same === undefined) columns.set(part, values);
    stored.push(same === undefined ? { part, cells: encodeCells(values) } : { part, same, cells: Buffer.alloc(0) });
  };
  for (const part of numberParts) if (part !== 'i') add(part);
  const [values, falls] = segments.reduce(([n, all], segment) => [n + sumOf(segment.n), all + segment.falls], [0, 0]);
  if (falls > values / mostFalls) return stored;
  stored.push(
    isDifference(segments)
      ? { part: 'i', same: 't', cells: Buffer.alloc(0) }
      : { part: 'i', cells: encodeCells(segments.flatMap(({ i }) => i)) },
  );
  return stored;
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Whether each increase is the last value minus the first, which is so without a reset. */
const isDifference = (segments: readonly Segment[]): boolean =>
  segments.every(({ f, t, i }) =>
    i.every((value, index) => Math.abs(value - (t[index]! - f[index]!)) <= 1e-12 * Math.max(1, Math.abs(t[index]!))),
  );

const wordOf = (count: number): number => Math.ceil(count / 32);

/**
 * Encodes which devices have values in which segment: the numbers of segments and devices, the starts as doubles, the
 * number of devices in each segment, all devices, and a bit for each device of a segment that lacks some.
 */
const encodeGrid = (segments: readonly Segment[]): Buffer => {
  const all = Int32Array.from(new Set(segments.flatMap(({ devices }) => devices))).sort();
  const words = wordOf(all.length);
  const partial = segments.filter(({ devices }) => devices.length < all.length);
  const ints = 2 + segments.length * 3 + all.length + partial.length * words;
  const bytes = Buffer.alloc(ints * 4);
  let at = bytes.writeInt32LE(segments.length, 0);
  at = bytes.writeInt32LE(all.length, at);
  for (const { start } of segments) at = bytes.writeDoubleLE(start, at);
  for (const { devices } of segments) at = bytes.writeInt32LE(devices.length, at);
  for (const device of all) at = bytes.writeInt32LE(device, at);
  for (const { devices } of partial) {
    let next = 0;
    for (let word = 0; word < words; word++) {
      let bits = 0;
      for (let bit = 0; bit < 32; bit++) {
        if (all[word * 32 + bit] !== devices[next]) continue;
        if (next === devices.length) break;
        bits |= 1 << bit;
        next++;
      }
      at = bytes.writeInt32LE(bits, at);
    }
  }
  return bytes;
};

/** Which devices have values in which segment. */
export interface FleetGrid {
  /** Starts of the segments, in Unix seconds. */
  readonly starts: Float64Array;
  /** Number of devices of each segment. */
  readonly counts: Int32Array;
  /** Devices of any segment, in ascending order. */
  readonly devices: Int32Array;
  /** Returns the indexes of a segment's devices; undefined for all of them. */
  placesOf(segment: number): Int32Array | undefined;
}

/** Decodes the part `g`. */
export const decodeGrid = (stored: Buffer): FleetGrid => {
  // A copy, because typed arrays begin at multiples of their width.
  const bytes = Uint8Array.from(stored).buffer;
  const [segments, length] = new Int32Array(bytes, 0, 2) as unknown as [number, number];
  const starts = new Float64Array(bytes, 8, segments);
  const counts = new Int32Array(bytes, 8 + segments * 8, segments);
  const devices = new Int32Array(bytes, 8 + segments * 12, length);
  const bits = new Int32Array(bytes, 8 + segments * 12 + length * 4);
  const words = wordOf(length);
  return {
    starts,
    counts,
    devices,
    placesOf(segment) {
      const count = counts[segment]!;
      if (count === length) return undefined;
      const first = counts.subarray(0, segment).reduce((sum, each) => sum + Number(each < length), 0) * words;
      const places = new Int32Array(count);
      let next = 0;
      for (let place = 0; place < length; place++)
        if ((bits[first + (place >> 5)]! >> (place & 31)) & 1) places[next++] = place;
      return places;
    },
  };
};

/** Bytes before the cells: the width of these (0 for a constant), the power of ten, and the base as a double. */
const headBytes = 16;

const encodeCells = (values: readonly number[]): Buffer => {
  const { base = 0, scale = 0, cells } = encodeNumbers(values);
  const head = Buffer.alloc(headBytes);
  head.writeInt8(cells?.BYTES_PER_ELEMENT ?? 0, 0);
  head.writeInt8(scale, 1);
  head.writeDoubleLE(base, 8);
  return cells ? Buffer.concat([head, Buffer.from(cells.buffer, cells.byteOffset, cells.byteLength)]) : head;
};

/** Values of a part of all segments, which are decoded some at a time: hours of months are too many at once. */
export class FleetColumn {
  private readonly width: number;
  private readonly power: number;
  private readonly base: number;

  constructor(private readonly stored: Buffer) {
    this.width = stored.readInt8(0);
    this.power = powers[stored.readInt8(1)]!;
    this.base = stored.readDoubleLE(8);
  }

  /** Decodes some values into the beginning of an array. */
  decode(first: number, count: number, values: Float64Array): void {
    const { width, base, power } = this;
    if (width === 0) {
      values.fill(base / power, 0, count);
      return;
    }
    const at = headBytes + first * width;
    // A copy, because typed arrays begin at multiples of their width.
    const bytes = new ArrayBuffer(count * width);
    new Uint8Array(bytes).set(this.stored.subarray(at, at + count * width));
    if (width === 8) values.set(new Float64Array(bytes));
    else if (width === 4) scale(new Int32Array(bytes), base, power, values);
    else if (width === 2) scale(new Int16Array(bytes), base, power, values);
    else scale(new Int8Array(bytes), base, power, values);
  }
}

const scale = (cells: Exclude<Cells, Float64Array>, base: number, power: number, values: Float64Array): void => {
  for (let index = 0; index < cells.length; index++) values[index] = (base + cells[index]!) / power;
};

/** A part as it is read. */
export type ReadPart = Pick<StoredPart, 'same' | 'cells'>;

/** Decodes segments. If they have no increase, they have infinitely many falls. */
export const decodeFleet = (read: ReadonlyMap<FleetPart, ReadPart>): Segment[] => {
  const grid = decodeGrid(read.get('g')!.cells);
  const columns = columnsOf(read);
  let next = 0;
  return Array.from(grid.starts, (start, index) => {
    const segment = new Segment(start);
    if (!read.has('i')) segment.falls = Number.POSITIVE_INFINITY;
    const count = grid.counts[index]!;
    const places = grid.placesOf(index);
    for (let place = 0; place < count; place++) segment.devices.push(grid.devices[places?.[place] ?? place]!);
    for (const part of numberParts) {
      const values = new Float64Array(count);
      columns[part]?.decode(next, count, values);
      for (const value of values) segment[part].push(value);
    }
    if (read.get('i')?.same !== undefined)
      for (const [place, t] of segment.t.entries()) segment.i[place] = t - segment.f[place]!;
    next += count;
    return segment;
  });
};

/** Returns the columns of parts. That of an increase is undefined if it is the last value minus the first. */
export const columnsOf = (read: ReadonlyMap<FleetPart, ReadPart>): Partial<Record<FleetPart, FleetColumn>> => {
  const columns: Partial<Record<FleetPart, FleetColumn>> = {};
  for (const part of numberParts) {
    const own = read.get(part);
    if (own === undefined || (part === 'i' && own.same !== undefined)) continue;
    const { cells } = own.same === undefined ? own : read.get(own.same)!;
    columns[part] = new FleetColumn(cells);
  }
  return columns;
};
