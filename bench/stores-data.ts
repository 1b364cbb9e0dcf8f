import { dayMs, secondMs } from '#common/time.js';
import { progress } from './figures.js';

/** The records that each store gets: devices that each send five numbers a minute, for whole days that are over. */
export interface StoresData {
  /** Serials of the devices. */
  readonly devices: readonly string[];
  /** Start of the first day in milliseconds since 1970. */
  readonly begun: number;
  readonly days: number;
  /** Number of records. */
  readonly records: number;
}

/** One record: a device, Unix seconds, and a value for each of {@link variables}. */
export interface Reading {
  readonly device: string;
  readonly ts: number;
  readonly values: readonly number[];
}

/** A measured number: its range, its decimals, and how far it moves in a minute at most. */
interface Variable {
  readonly name: string;
  readonly type: string;
  readonly decimals: number;
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

export const variables: readonly Variable[] = [
  { name: 'temperature', type: 'FLOAT32', decimals: 2, low: 12, high: 32, step: 0.12 },
  { name: 'humidity', type: 'UINT8', decimals: 0, low: 20, high: 90, step: 1.2 },
  { name: 'pressure', type: 'FLOAT32', decimals: 1, low: 980, high: 1040, step: 0.15 },
  { name: 'co2', type: 'UINT16', decimals: 0, low: 400, high: 1800, step: 15 },
  { name: 'voltage', type: 'FLOAT32', decimals: 3, low: 3.1, high: 4.1, step: 0.003 },
];

export const minutesOfDay = 1440;

/** Plans whole days of a number of records or slightly fewer, at least one day. The last day ended a day ago. */
export const planData = (records: number, devices: number): StoresData => {
  const days = Math.max(1, Math.floor(records / devices / minutesOfDay));
  return {
    devices: Array.from({ length: devices }, (_, index) => serialOf(index)),
    begun: Math.floor(Date.now() / dayMs - days - 1) * dayMs,
    days,
    records: days * devices * minutesOfDay,
  };
};

/** Returns the serial that the bench's devices have in our service. */
const serialOf = (index: number): string => (0xb0000000 + index).toString(16);

/** Yields the records in the order of their time. They are the same for each call. */
function* readingsOf({ devices, begun, days }: StoresData): Generator<Reading> {
  const random = randomOf(1);
  const state = devices.map(() => variables.map(({ low, high }) => low + (high - low) * random()));
  for (let minute = 0; minute < days * minutesOfDay; minute++)
    for (const [index, device] of devices.entries()) {
      const now = state[index]!;
      for (const [place, { low, high, step }] of variables.entries())
        now[place] = Math.min(high, Math.max(low, now[place]! + (random() * 2 - 1) * step));
      // A clock that drifts by a second, within the minute: each device has 60 records an hour.
      const second = ((index * 37) % 59) + (random() < 0.1 ? 1 : 0);
      const values = variables.map(({ decimals }, place) => rounded(now[place]!, decimals));
      yield { device, ts: begun / secondMs + minute * 60 + second, values };
    }
}

/** Yields the records in batches and shows the progress. */
export function* batchesOf(data: StoresData, size: number): Generator<Reading[]> {
  let batch: Reading[] = [];
  let yielded = 0;
  for (const reading of readingsOf(data)) {
    batch.push(reading);
    if (batch.length < size && yielded + batch.length < data.records) continue;
    yielded += batch.length;
    yield batch;
    progress(yielded, data.records);
    batch = [];
  }
}

/** Writes a record in InfluxDB's line protocol, which VictoriaMetrics reads, too. Integers are marked as such. */
export const lineOf = ({ device, ts, values }: Reading): string => {
  const fields = variables.map(({ name, decimals }, place) => `${name}=${values[place]}${decimals === 0 ? 'i' : ''}`);
  return `bench,device=${device} ${fields.join()} ${ts}`;
};

const rounded = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;

/** Creates a generator of numbers from 0 to below 1 (mulberry32), which is the same for the same seed. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
