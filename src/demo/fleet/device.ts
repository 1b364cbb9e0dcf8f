import { type Kind, kinds, type Sent } from './kind.js';
import { noise } from './noise.js';

/** A device of the fleet. */
export interface FleetDevice {
  /** From 1 on. */
  number: number;
  serial: string;
  name: string;
  kind: Kind;
  tags: string[];
  location: { lat: number; lon: number };
}

/** A record as it is posted. */
export type FleetRecord = { serial: string; ts: number } & Sent;

/** All serials of the fleet begin with this, and no others should. */
export const serialPrefix = 'de-f1-ee-70-';

/** Devices send so often, in seconds. */
export const interval = 600;

const day = 86_400;

const sites = [
  { tag: 'athens', lat: 37.98, lon: 23.73 },
  { tag: 'lyon', lat: 45.76, lon: 4.84 },
  { tag: 'rotterdam', lat: 51.92, lon: 4.48 },
  { tag: 'gothenburg', lat: 57.71, lon: 11.97 },
  { tag: 'porto', lat: 41.15, lon: -8.61 },
] as const;

const shares: readonly { kind: Kind; count: number; name: string; tags: readonly string[] }[] = [
  { kind: kinds.coldRoom, count: 16, name: 'Cold room', tags: ['cold-chain'] },
  { kind: kinds.airStation, count: 14, name: 'Air', tags: ['indoor'] },
  { kind: kinds.waterMeter, count: 10, name: 'Meter', tags: ['utility', 'pilot'] },
];

/** The forty devices. */
export const fleetDevices: readonly FleetDevice[] = shares
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

/** Devices that went silent, by how many seconds before the end of the fleet's week. The last one never sent. */
const silentFor: Readonly<Record<number, number>> = { 7: 2.2 * day, 19: 3.6 * day, 33: 5.1 * day, 40: 8 * day };

/** Whether a device is heard at a time: not once it is silent, and not in a gap of some hours that most weeks have. */
const isHeard = ({ number }: FleetDevice, at: number, end: number): boolean => {
  if (at > end - (silentFor[number] ?? 0)) return false;
  const gap = noise(number, 99) * 7 * day;
  const before = end - at;
  if (before > gap && before < gap + (2 + noise(number, 98) * 7) * 3600) return false;
  return noise(number + 100, at) > 0.02;
};

/** What the fleet sends between two times (Unix seconds), the oldest first. `end`: when the week of the silent ones ended. */
export const recordsBetween = (from: number, to: number, end: number): FleetRecord[] => {
  const records: FleetRecord[] = [];
  for (let at = Math.ceil(from / interval) * interval; at <= to; at += interval)
    for (const device of fleetDevices) {
      // Devices do not send all at once.
      const ts = at + Math.floor(noise(device.number, 3) * interval);
      if (ts > from && ts <= to && isHeard(device, ts, end))
        records.push({ serial: device.serial, ts, ...device.kind.send(device.number, ts) });
    }
  return records;
};
