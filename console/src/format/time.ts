import { signal } from '@preact/signals';
import { counted } from './value.js';

/** Times are Unix seconds, as in the graph. They are shown in one time zone, which is named beside them. */

/** Time zone of all times; the browser's by default. */
export const zone = signal(localStorage.getItem('ddp.zone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Sets the time zone on this machine. */
export function chooseZone(name: string): void {
  localStorage.setItem('ddp.zone', name);
  zone.value = name;
}

/** Whether the browser knows the time zone. */
export const isZone = (name: string): boolean => {
  try {
    return name !== '' && new Intl.DateTimeFormat(undefined, { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a formatter. Formatters are cached, as creating one takes longer than using it. */
export const formatIn = (name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = name + JSON.stringify(options);
  const found = formats.get(key);
  if (found !== undefined) return found;
  const made = new Intl.DateTimeFormat(undefined, { ...options, timeZone: name });
  formats.set(key, made);
  return made;
};

/** Formats date and time to the second. */
export const formatTime = (seconds: number): string =>
  formatIn(zone.value, { dateStyle: 'medium', timeStyle: 'medium' }).format(seconds * 1000);

/** Formats how long ago an instant was, in the largest unit that fits. */
export const ago = (seconds: number, now = Date.now() / 1000): string => {
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
  const [count, unit] = inUnit(seconds - now);
  return relative.format(count, unit);
};

/** Formats a length of time in the largest unit that fits. */
export const lengthOf = (seconds: number): string => {
  const [count, unit] = inUnit(seconds);
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
};

const inUnit = (seconds: number): [count: number, unit: 'day' | 'hour' | 'minute' | 'second'] => {
  const units = { day: 86_400, hour: 3600, minute: 60 } as const;
  for (const unit of ['day', 'hour', 'minute'] as const)
    if (Math.abs(seconds) >= units[unit]) return [Math.trunc(seconds / units[unit]), unit];
  return [Math.trunc(seconds), 'second'];
};

/** Converts a date and time of the graph to Unix seconds. */
export const secondsOf = (text: string): number => Date.parse(text) / 1000;

/** Units of durations, the longest first, in seconds. */
export const units = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

export type Unit = keyof typeof units;

/** Returns the longest unit in which a duration is a whole number. */
export const unitOf = (seconds: number): Unit =>
  (Object.keys(units) as Unit[]).find((unit) => seconds % units[unit] === 0) ?? 'seconds';

/** Writes a duration in the longest unit in which it is a whole number: "90 minutes". */
export const duration = (seconds: number): string => {
  const unit = unitOf(seconds);
  return counted(seconds / units[unit], unit.slice(0, -1));
};

/** Writes about how long something lasted, in its two longest units: "2 h 30 min". */
export const lasting = (seconds: number): string => {
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor((whole % 86_400) / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : []))
    .join(' ');
};
