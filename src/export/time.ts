import { minuteMs } from '#common/time.js';
import { requireZone, type Zone } from '#search/date/zone.js';

/** Writes a time (Unix seconds or ISO 8601 text) as ISO 8601 text. */
export type WriteTime = (time: number | string) => string;

/**
 * Creates the writer of times in a time zone, by default UTC.
 * @throws ApiError 422 for an unknown time zone
 */
export const timeWriter = (name: string | null | undefined): WriteTime => {
  if (name == null) return (time) => (typeof time === 'string' ? time : inZone(time, undefined));
  const zone = requireZone(name);
  return (time) => inZone(typeof time === 'string' ? Date.parse(time) / 1000 : time, zone);
};

/**
 * Formats a time to the millisecond, or to the microsecond if it has any. The offset distinguishes the two hours of a
 * clock change.
 */
const inZone = (seconds: number, zone: Zone | undefined): string => {
  const micros = Math.round(seconds * 1e6);
  const millis = Math.floor(micros / 1000);
  const rest = micros - millis * 1000;
  const offset = zone?.offsetAt(millis) ?? 0;
  const local = new Date(millis + offset).toISOString().slice(0, -1);
  const fraction = rest === 0 ? '' : `${rest}`.padStart(3, '0');
  return `${local}${fraction}${zone === undefined ? 'Z' : offsetText(offset)}`;
};

const offsetText = (offset: number): string => {
  const minutes = Math.round(Math.abs(offset) / minuteMs);
  const digits = (value: number) => `${value}`.padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
};
