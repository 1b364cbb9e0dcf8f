import { atWallClock, wallClock } from './wall-clock.js';

/** A length of time. Months and days are those of clocks in the zone that is shown. */
export type Span = { readonly months: number } | { readonly days: number } | { readonly seconds: number };

/**
 * Moves an instant by a span, forwards or back. Clocks show the same time of the same day of the month then. A day that
 * the month lacks counts on into the next: October 31 moves on to December 1.
 */
export const shifted = (at: number, span: Span, times: number): number => {
  if ('seconds' in span) return at + times * span.seconds;
  const shown = wallClock(at);
  if ('days' in span) return atWallClock(shown + times * span.days * 86_400)[0]!;
  const date = new Date(shown * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const since = shown - Date.UTC(year, month) / 1000;
  return atWallClock(Date.UTC(year, month + times * span.months) / 1000 + since)[0]!;
};
