import fc from 'fast-check';
import { daySeconds } from '#common/time.js';
import { DeviceCombination, DeviceReduction } from '#entities/group-series.js';

/** Both lie in weeks in which the clocks of Berlin change. */
export const starts = [Date.UTC(2026, 2, 26) / 1000, Date.UTC(2026, 9, 22) / 1000];

/** A value of a device: its place in the fleet, a time after the start, and whether it arrives late. */
export interface Sent {
  readonly device: number;
  readonly minute: number;
  readonly v: number;
  readonly isLate: boolean;
  readonly isOn: boolean;
}

const sent = fc.record({
  device: fc.integer({ min: 0, max: 4 }),
  minute: fc.integer({ min: 0, max: 7 * 24 * 60 }),
  v: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 2000 }) }, { weight: 1, arbitrary: fc.constant(0) }),
  isLate: fc.boolean(),
  isOn: fc.boolean(),
});

/** Meters that mostly rise: each value is added to the one before, now and then the meter begins again. */
const risen = (all: readonly Sent[]): Sent[] => {
  const totals = new Map<number, number>();
  return all
    .toSorted((a, b) => a.device - b.device || a.minute - b.minute)
    .map((each) => {
      const total = each.v < 60 ? each.v : (totals.get(each.device) ?? 0) + each.v;
      totals.set(each.device, total);
      return { ...each, v: total / 8 };
    });
};

/** A meter that is exchanged for one that starts at a value. */
const exchange = fc.record({
  device: fc.integer({ min: 0, max: 4 }),
  minute: fc.integer({ min: -600, max: 7 * 24 * 60 }),
  v: fc.integer({ min: 0, max: 4711 }),
});

/** A device moves to a site, or to none. */
const move = fc.record({
  device: fc.integer({ min: 0, max: 4 }),
  minute: fc.integer({ min: -1440, max: 7 * 24 * 60 }),
  site: fc.option(fc.integer({ min: 0, max: 3 })),
});

/** Parents of the sites: a campus with two buildings, one of which has a room. */
export const parents = [null, 0, 0, 1];

type Storage = 'rows' | 'rollups' | 'blocks beside rows' | 'blocks alone';

export const fleet = fc.record({
  start: fc.constantFrom(...starts),
  storage: fc.constantFrom<Storage>('rows', 'rollups', 'blocks beside rows', 'blocks alone'),
  homeZone: fc.constantFrom('Europe/Berlin', 'UTC'),
  /** The organization's time zone from when the blocks are made; they are cut again only if late records are merged. */
  nextZone: fc.constantFrom(undefined, undefined, 'Europe/Berlin', 'Asia/Kolkata'),
  /** Whether late records are in the blocks, too. */
  isMerged: fc.boolean(),
  /** A device that is deleted in the end. */
  deleted: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3 }),
  values: fc.array(sent, { minLength: 5, maxLength: 200 }).map(risen),
  counter: fc.record({ jitter: fc.constantFrom(0, 20), rollsOverAt: fc.option(fc.constant(1000), { nil: undefined }) }),
  exchanges: fc.array(exchange, { maxLength: 4 }),
  moves: fc.array(move, { maxLength: 8 }),
});

export type Fleet = typeof fleet extends fc.Arbitrary<infer T> ? T : never;

export const forms = fc.record({
  zone: fc.constantFrom('Europe/Berlin', 'UTC', 'America/Los_Angeles'),
  unit: fc.constantFrom(...(['day', 'hour', 'week', 'month', 'year'] as const)),
  fromMinute: fc.oneof(fc.integer({ min: -600, max: 2 * 24 * 60 }), fc.constant(-40 * 24 * 60)),
  minutes: fc.oneof(fc.integer({ min: 1, max: 6 * 24 * 60 }), fc.constant(80 * 24 * 60)),
  perDevice: fc.constantFrom(...Object.values(DeviceReduction).filter((each) => each !== DeviceReduction.rate)),
  combine: fc.constantFrom(...Object.values(DeviceCombination)),
  maxAge: fc.constantFrom(3600, 2 * daySeconds),
  minDevices: fc.integer({ min: 1, max: 2 }),
  /** Sums that may answer: those of all devices, too, or only those by run. */
  sums: fc.constantFrom(...(['all', 'all', 'runs'] as const)),
  /** The group: all devices, or those of a site. */
  site: fc.option(fc.integer({ min: 0, max: 3 })),
});
