const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A century: what is longer is a slip of the hand, and no date or timer holds it. Milliseconds. */
const maxDuration = 36_525 * 86_400_000;

/**
 * Milliseconds of a duration such as `15s` or `30d` (a number and `ms`, `s`, `m`, `h` or `d`); undefined where it is none,
 * or longer than a century.
 */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined) return undefined;
  const milliseconds = Math.round(Number(amount) * factor);
  return milliseconds <= maxDuration ? milliseconds : undefined;
}
