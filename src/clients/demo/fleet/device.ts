import { meterDevices, sentByMeter } from './energy.js';
import { type DeviceKind, type FleetDevice, kinds, type Sent } from './kind.js';
import { noise } from './noise.js';

/** A record in the form in which it is posted. */
export type FleetRecord = { serial: string; ts: number } & Sent;

/** Prefix of all serial numbers of the fleet. No other device should use it. */
export const serialPrefix = 'de-f1-ee-70-';

/** Interval between two records of a device, in seconds. */
export const interval = 600;

const daySeconds = 86_400;

const sites = [
  { tag: 'athens', lat: 37.98, lon: 23.73 },
  { tag: 'lyon', lat: 45.76, lon: 4.84 },
  { tag: 'rotterdam', lat: 51.92, lon: 4.48 },
  { tag: 'gothenburg', lat: 57.71, lon: 11.97 },
  { tag: 'porto', lat: 41.15, lon: -8.61 },
] as const;

const shares: readonly { kind: DeviceKind; count: number; name: string; tags: readonly string[] }[] = [
  { kind: kinds.coldRoom, count: 16, name: 'Cold room', tags: ['cold-chain'] },
  { kind: kinds.airStation, count: 14, name: 'Air', tags: ['indoor'] },
  { kind: kinds.waterMeter, count: 10, name: 'Meter', tags: ['utility', 'pilot'] },
];

/** Devices of several places. */
const spreadDevices: readonly FleetDevice[] = shares
  .flatMap(({ kind, count, name, tags }) =>
    Array.from({ length: count }, (_, place) => ({
      kind,
      tags,
      title: `${name} ${String(place + 1).padStart(2, '0')}`,
    })),
  )
  .map(({ kind, tags, title }, index) => {
    const number = index + 1;
    const { tag, lat, lon } = sites[number % sites.length]!;
    return {
      number,
      serial: `${serialPrefix}00-00-00-${number.toString(16).padStart(2, '0')}`,
      name: `${title} ${tag[0]!.toUpperCase()}${tag.slice(1)}`,
      kind,
      tags: [tag, ...tags],
      location: { lat: lat + noise(number, 1) * 1.4 - 0.7, lon: lon + noise(number, 2) * 1.4 - 0.7 },
    };
  });

/** All devices of the fleet. */
export const fleetDevices: readonly FleetDevice[] = [...spreadDevices, ...meterDevices(serialPrefix)];

/**
 * Seconds before the end of the fleet's week at which a device went silent, by device number. The last of these never
 * sent.
 */
const silentFor: Readonly<Record<number, number>> = {
  7: 2.2 * daySeconds,
  19: 3.6 * daySeconds,
  33: 5.1 * daySeconds,
  40: 8 * daySeconds,
};

/**
 * The cold room whose door stays open for the last hours of the week, and repeatedly while the fleet continues to send.
 */
export const doorLeftOpen = { number: 3, seconds: 2 * 3600 } as const;

/** The cold room that is unplugged at the end of the week, and repeatedly while the fleet continues to send. */
export const unplugged = 6;

/**
 * While the fleet continues to send, the door is open and the plug out for the first part of each of these periods, in
 * seconds.
 */
const mishap = { period: 900, lasts: 600 } as const;

/** Whether the door is open and the plug out at a time after the end of the week. */
const isMishap = (at: number, end: number): boolean => (at - end) % mishap.period < mishap.lasts;

/** Whether a device has power at a time after the end of the week. */
export const isPlugged = (number: number, at: number, end: number): boolean =>
  number !== unplugged || !isMishap(at, end);

/**
 * Creates the record that a device sends at a time.
 * @param end end of the week.
 */
const recordOf = (
  { serial, number, kind }: FleetDevice,
  ts: number,
  end: number,
  setPoints?: ReadonlyMap<number, number>,
): FleetRecord => {
  const setPoint = setPoints?.get(number);
  if (kind === kinds.energyMeter) return { serial, ts, ...sentByMeter(number, ts, end) };
  const opened = end - doorLeftOpen.seconds;
  if (number !== doorLeftOpen.number || ts <= opened)
    return { serial, ts, ...kind.send(number, ts, undefined, setPoint) };
  return { serial, ts, ...kind.send(number, ts, ts <= end || isMishap(ts, end) ? ts - opened : 0, setPoint) };
};

/**
 * Whether a device is heard at a time. It is not heard once it is silent, or during a gap of some hours that most
 * devices have in the week.
 */
const isHeard = ({ number }: FleetDevice, at: number, end: number): boolean => {
  if (at > end - (silentFor[number] ?? 0)) return false;
  const gap = noise(number, 99) * 7 * daySeconds;
  const before = end - at;
  if (before > gap && before < gap + (2 + noise(number, 98) * 7) * 3600) return false;
  return noise(number + 100, at) > 0.02;
};

/**
 * Returns the records that the fleet sends between two times (Unix seconds), the oldest first.
 * @param end end of the week.
 */
export const recordsBetween = (from: number, to: number, end: number): FleetRecord[] => {
  const records: FleetRecord[] = [];
  for (let at = Math.ceil(from / interval) * interval; at <= to; at += interval)
    for (const device of fleetDevices) {
      // Spreads the devices over the interval, so that they do not all send at once.
      const ts = at + Math.floor(noise(device.number, 3) * interval);
      if (ts > from && ts <= to && isHeard(device, ts, end)) records.push(recordOf(device, ts, end));
    }
  return records;
};

/** Devices that continue to send after the week: all but the silent ones. */
const sending = fleetDevices.filter(({ number }) => silentFor[number] === undefined);

/**
 * Returns the records of one turn after the week: a record of the next device and, in every fifth turn, one of the cold
 * room whose door stays open. An unplugged device sends nothing.
 * @param setPoints temperatures that cold rooms hold, by device number, where somebody has set one
 */
export const recordsOfTurn = (
  turn: number,
  ts: number,
  end: number,
  setPoints: ReadonlyMap<number, number> = new Map(),
): FleetRecord[] => {
  const open = fleetDevices.filter(({ number }) => turn % 5 === 0 && number === doorLeftOpen.number);
  return [...new Set([...open, sending[turn % sending.length]!])]
    .filter(({ number }) => isPlugged(number, ts, end))
    .map((device) => recordOf(device, ts, end, setPoints));
};
