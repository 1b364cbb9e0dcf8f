import { signal } from '@preact/signals';

/** Times are Unix seconds, as the graph has them. They are shown in one zone, which is named beside them. */

/** The zone that times are shown in: the browser's unless another is chosen. */
export const zone = signal(localStorage.getItem('ddp.zone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Chooses the zone that times are shown in, on this machine. */
export function chooseZone(name: string): void {
  localStorage.setItem('ddp.zone', name);
  zone.value = name;
}

/** Whether the browser knows a zone of that name. */
export const isZone = (name: string): boolean => {
  try {
    return name !== '' && new Intl.DateTimeFormat(undefined, { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** A formatter, made once: making one takes longer than using it. */
export const formatIn = (name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = name + JSON.stringify(options);
  const found = formats.get(key);
  if (found !== undefined) return found;
  const made = new Intl.DateTimeFormat(undefined, { ...options, timeZone: name });
  formats.set(key, made);
  return made;
};

/** Date and time to the second. */
export const formatTime = (seconds: number): string =>
  formatIn(zone.value, { dateStyle: 'medium', timeStyle: 'medium' }).format(seconds * 1000);

/** How long ago, in the largest unit that fits. */
export const ago = (seconds: number, now = Date.now() / 1000): string => {
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
  const past = seconds - now;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ];
  for (const [unit, length] of steps)
    if (Math.abs(past) >= length) return relative.format(Math.round(past / length), unit);
  return relative.format(Math.round(past), 'second');
};

/** Ranges that are offered, by the name that the address has: how many seconds back from now. */
export const ranges = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;

/** A range of time: up to now, so many seconds long, or between two instants. */
export type Range = { readonly last: keyof typeof ranges } | { readonly from: number; readonly to: number };

/** A range as the address writes it: `day`, or `1700000000..1700003600`. */
export const parseRange = (text: string, fallback: keyof typeof ranges = 'day'): Range => {
  const [, from, to] = /^(\d{1,10})\.\.(\d{1,10})$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return { from: Number(from), to: Number(to) };
  return { last: Object.hasOwn(ranges, text) ? (text as keyof typeof ranges) : fallback };
};

/** The ends of a range at a moment, in whole seconds. */
export const endsOf = (range: Range, now = Date.now() / 1000): { from: number; to: number } =>
  'last' in range ? { from: Math.floor(now - ranges[range.last]), to: Math.ceil(now) } : range;

/** The Unix seconds of a date and time of the graph. */
export const secondsOf = (text: string): number => Date.parse(text) / 1000;
