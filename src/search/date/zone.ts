import { invalid } from '#common/errors.js';
import { dayMs, hourMs, minuteMs, secondMs } from '#common/time.js';

/** Milliseconds since 1970 UTC. */
export type Instant = number;

/** A change of a zone's offset: `after` applies from `instant` on. Offsets are milliseconds east of UTC. */
export interface Transition {
  readonly instant: Instant;
  readonly before: number;
  readonly after: number;
}

/** A time zone's rules. Local times are written as the instant at which UTC shows the same date and time. */
export interface Zone {
  readonly id: string;
  /** The offset if it never changes. */
  readonly fixed?: number;
  offsetAt(instant: Instant): number;
  /** Returns the changes after `from`, up to and including `to`. */
  transitions(from: Instant, to: Instant): readonly Transition[];
}

/** Returns the zone of a name (`Europe/Paris`) or an offset (`+05:30`, `Z`); undefined if there is none. */
export const zoneOf = (name: string): Zone | undefined => {
  const cached = zones.get(name);
  if (cached !== undefined) return cached;
  const zone = fixedZone(name) ?? namedZone(name);
  if (zone !== undefined && zones.size < 1000) zones.set(name, zone);
  return zone;
};

/**
 * Returns the zone of an argument `timeZone`.
 * @throws ApiError 422 for an unknown time zone
 */
export const requireZone = (name: string): Zone => {
  const zone = zoneOf(name);
  if (zone === undefined)
    throw invalid([{ path: 'timeZone', message: 'There is no such time zone: name one as Europe/Berlin or +01:00.' }]);
  return zone;
};

/** Returns the offset of a fixed zone's name in milliseconds; undefined for other names. */
export const offsetOf = (name: string): number | undefined => {
  if (/^(?:Z|UTC|GMT|UT|Etc\/UTC)$/i.test(name)) return 0;
  const match = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/.exec(name);
  if (match === null) return undefined;
  const [, sign, hours, minutes = '0', seconds = '0'] = match;
  const size = Number(hours) * hourMs + Number(minutes) * minuteMs + Number(seconds) * secondMs;
  if (size > 18 * hourMs) return undefined;
  return sign === '-' ? -size : size;
};

const fixedZone = (name: string): Zone | undefined => {
  const fixed = offsetOf(name);
  return fixed === undefined ? undefined : { id: name, fixed, offsetAt: () => fixed, transitions: () => [] };
};

const namedZone = (name: string): Zone | undefined => {
  // The platform also accepts offsets as names, up to a day.
  if (/^[+-]/.test(name)) return undefined;
  const clock = clockOf(name);
  if (clock === undefined) return undefined;
  const years = new Map<number, readonly Transition[]>();
  const inYear = (year: number) => {
    const found = years.get(year) ?? search(clock, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
    years.set(year, found);
    return found;
  };
  const yearOf = (instant: Instant) => new Date(instant).getUTCFullYear();
  return {
    id: name,
    offsetAt: (instant) => {
      const year = yearOf(instant);
      if (Number.isNaN(year)) return 0;
      const changes = inYear(year);
      const last = changes.findLast((change) => change.instant <= instant);
      return last?.after ?? changes[0]?.before ?? clock(Date.UTC(year, 0, 1));
    },
    transitions: (from, to) => {
      const found: Transition[] = [];
      for (let year = yearOf(from); year <= yearOf(to); year += 1) {
        found.push(...inYear(year).filter(({ instant }) => instant > from && instant <= to));
      }
      return found;
    },
  };
};

/** Finds all changes in a time range, in steps of eight days that are then narrowed to the exact instant. */
const search = (clock: (instant: Instant) => number, from: Instant, to: Instant): Transition[] => {
  const found: Transition[] = [];
  let before = clock(from);
  for (let at = from; at < to; at += 8 * dayMs) {
    const until = Math.min(at + 8 * dayMs, to);
    const after = clock(until);
    if (after !== before) found.push({ instant: narrow(clock, at, until, before), before, after });
    before = after;
  }
  return found;
};

const narrow = (clock: (instant: Instant) => number, from: Instant, to: Instant, before: number): Instant => {
  let [low, high] = [from, to];
  while (high - low > secondMs) {
    const middle = low + Math.floor((high - low) / 2 / secondMs) * secondMs;
    if (clock(middle) === before) low = middle;
    else high = middle;
  }
  return high;
};

/** Creates the reader of a named zone's offset from the platform's tables; undefined if it lacks the zone. */
const clockOf = (name: string): ((instant: Instant) => number) | undefined => {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset', year: 'numeric' });
    return (instant) => {
      const shown = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
      return offsetOf(shown) ?? 0;
    };
  } catch {
    return undefined;
  }
};

/** Cache of zones, whose rules never change while a process lives. */
const zones = new Map<string, Zone>();

/** Coordinated universal time. */
export const utc: Zone = fixedZone('Z')!;

/**
 * Returns the offsets at which a local time exists, the earlier instant first: none inside a gap, two if it occurs
 * twice.
 */
export const validOffsets = (zone: Zone, local: Instant): number[] => {
  if (zone.fixed !== undefined) return [zone.fixed];
  const candidates = new Set([zone.offsetAt(local - dayMs), zone.offsetAt(local + dayMs), zone.offsetAt(local)]);
  for (const change of zone.transitions(local - dayMs, local + dayMs)) candidates.add(change.before).add(change.after);
  return [...candidates].filter((offset) => zone.offsetAt(local - offset) === offset).sort((a, b) => b - a);
};

/**
 * Returns the instant of a local time: of two, the one at the preferred offset, else the earlier; inside a gap, later by
 * the length of the gap.
 */
export const instantOf = (zone: Zone, local: Instant, preferred: number): Instant => {
  const offsets = validOffsets(zone, local);
  const offset = offsets.includes(preferred) ? preferred : offsets[0];
  return local - (offset ?? gapAt(zone, local).before);
};

/** Returns the change that skips a local time. */
export const gapAt = (zone: Zone, local: Instant): Transition =>
  zone
    .transitions(local - dayMs, local + dayMs)
    .find(({ instant, before, after }) => local >= instant + before && local < instant + after) ?? {
    instant: local - zone.offsetAt(local),
    before: zone.offsetAt(local),
    after: zone.offsetAt(local),
  };
