import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import type { WorldDevice, WorldRecord } from '../world.js';
import type { Dice } from './dice.js';

/** The variables that every product declares; no product declares `data.x` and `data.w`. */
export const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'n', type: VariableType.INT64 },
  { name: 'big', type: VariableType.INT64 },
  { name: 'k', type: VariableType.UINT8 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'txt', type: VariableType.TXT },
];

const places = [
  { lat: 48.85, lon: 2.35 },
  { lat: 48.86, lon: 2.36 },
  { lat: 52.5, lon: 13.4 },
  { lat: -33.86, lon: 151.2 },
  { lat: 0, lon: 0 },
  { lat: 64.1, lon: -21.9 },
  { lat: -17.7, lon: 179.9 },
];

/** The devices: one at each location, and two without a location. */
export const devices: readonly WorldDevice[] = [...places, undefined, undefined].map((location, index) => ({
  serial: `0${index}`,
  product: 'probe',
  tags: [[], ['roof'], ['roof', 'south'], ['attic', 'roof', 'été']][index % 4]!,
  ...(index !== 3 && { name: ['north', 'South', 'été', 'north'][index % 4]! }),
  ...(location && { location }),
}));

const days = [
  '2026-03-28',
  '2026-03-29',
  '2026-03-30',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
  '2026-11-02',
];

/** Fields that no record of a month has, because OpenSearch answers wrongly where a month's index does not map a field. */
const lacking: Readonly<Record<string, readonly string[]>> = {
  '2026-03': ['x', 'on', 'rssi'],
  '2026-04': ['t', 'n', 'w', 'provider'],
  '2026-10': ['txt', 'big'],
};

/** Removes the fields that the month lacks. */
const monthly = <Values extends { [key: string]: PlainJson }>(day: string, values: Values): Values => {
  const lacks = lacking[day.slice(0, 7)] ?? [];
  return Object.fromEntries(Object.entries(values).filter(([name]) => !lacks.includes(name))) as Values;
};

/**
 * Generates a record with missing, null, several, equal or extreme values, on days of clock changes, at its own time or
 * a shared one.
 */
export const record = (dice: Dice, number: number): WorldRecord => {
  const day = dice.pick(...days);
  const ts =
    Date.parse(`${day}T00:00:00Z`) / 1000 +
    dice.below(24 * 4) * 900 +
    (dice.chance(0.2) ? dice.pick(0.5, 0.001, 0.999) : 0);
  const one = (...items: readonly PlainJson[]): { value?: PlainJson } => {
    if (dice.chance(0.2)) return {};
    if (dice.chance(0.08)) return { value: null };
    if (dice.chance(0.15)) return { value: dice.some(0, 3, () => dice.pick(...items)) };
    return { value: dice.pick(...items) };
  };
  const named = (name: string, { value }: { value?: PlainJson }): { [key: string]: PlainJson } =>
    value === undefined ? {} : { [name]: value };
  return {
    serial: devices[dice.below(devices.length)]!.serial,
    ts,
    metadata: monthly(day, {
      number,
      level: Math.round(dice.random() * 100_000) / 100,
      rssi: dice.pick(-120, -100.5, -90, -80),
      provider: dice.pick('lora', 'sigfox', 'wifi'),
    }),
    data: monthly(day, {
      ...named('t', one(0, 1, 1.5, 2.5, -3, 20.1, 20.5, 1e9, -0.001)),
      ...named('n', one(0, 1, 2, 3, 4, 10, 100, -5)),
      ...named('big', one('9223372036854775807', '-9223372036854775808', '9007199254740993', 9007199254740991, 7)),
      ...(dice.chance(0.9) && { k: dice.pick(0, 1, 2, 128, 255) }),
      ...named('on', one(true, false)),
      ...named('txt', one('abc', 'abd', 'ABC', 'x', 'y z', 'été', 'a%b', '', 'Zürich', '10', '😀', 'ﬀ')),
      // The values are far apart on both sides of zero, so that no sum cancels out and all sums can be compared.
      ...named('x', one(1e300, -1e290, 1e-300, 0.1, 0.2, 123456789.125, -0.5)),
      ...named('w', one('red', 'green', 'blue')),
    }),
  };
};

/** OpenSearch's mapping for {@link record}. */
export const mapping = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    dynamic: 'strict',
    properties: {
      ts: { type: 'date' },
      metadata: {
        properties: {
          number: { type: 'double' },
          level: { type: 'double' },
          rssi: { type: 'double' },
          provider: { type: 'keyword' },
        },
      },
      data: {
        properties: {
          t: { type: 'double' },
          n: { type: 'long' },
          big: { type: 'long' },
          k: { type: 'long' },
          on: { type: 'boolean' },
          txt: { type: 'keyword' },
          x: { type: 'double' },
          w: { type: 'keyword' },
        },
      },
      device: {
        properties: {
          id: { type: 'keyword' },
          serial: { type: 'keyword' },
          name: { type: 'keyword' },
          tags: { type: 'keyword' },
          organizationId: { type: 'keyword' },
          product: { properties: { id: { type: 'keyword' }, organizationId: { type: 'keyword' } } },
          location: { type: 'geo_point' },
        },
      },
    },
  },
};
