const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `15s` or `30d` (a number and `ms`, `s`, `m`, `h` or `d`); undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const factor = units[unit];
  return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}
