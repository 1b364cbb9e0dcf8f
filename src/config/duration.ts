const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A century in milliseconds. A longer duration is a typing mistake, and dates and timers cannot hold it. */
const maxDuration = 36_525 * 86_400_000;

/**
 * Parses a duration such as `15s` or `30d` (a number and `ms`, `s`, `m`, `h` or `d`) into milliseconds. Undefined when
 * the text is not a duration, or is longer than a century.
 */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined) return undefined;
  const milliseconds = Math.round(Number(amount) * factor);
  return milliseconds <= maxDuration ? milliseconds : undefined;
}
