/** Whether a number is written with an exponent: from 1e15 on, and below 1e-6. */
export const isExponential = (value: number): boolean =>
  value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6);

/** Formats a number with a minus sign, which is as wide as a digit and no place to break a line. A hyphen is neither. */
export const numberText = (value: number, options?: Intl.NumberFormatOptions): string =>
  value.toLocaleString(undefined, options).replaceAll('-', '−');

/**
 * Formats a value of a record for users. Numbers are shortened; other values stay unchanged.
 * @param digits number of significant digits.
 */
export const shown = (value: unknown, unit?: string | null, digits = 6): string => {
  const text =
    typeof value === 'number'
      ? numberText(value, {
          maximumSignificantDigits: digits,
          notation: isExponential(value) ? 'scientific' : 'standard',
        })
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return unit ? `${text} ${unit}` : text;
};

interface Counted {
  /** Number of all items; null when there are more than the service counts. */
  readonly totalCount: number | null;
}

/** Writes the number of all items of a page, which a refused page does not have. */
export const countOf = (page: Counted | null | undefined): string =>
  page == null ? '–' : (page.totalCount?.toLocaleString() ?? '10,000+');

/** Says of which items a page has only the first: `the first 40 of 63 teams`; nothing when it has all of them. */
export const cutOf = ({ items, totalCount }: Counted & { readonly items: readonly unknown[] }, nouns: string) =>
  (totalCount ?? 0) > items.length
    ? `the first ${items.length.toLocaleString()} of ${totalCount?.toLocaleString()} ${nouns}`
    : undefined;

/** Writes a number of things: "1 device", "1,200 devices". Null means more than the service counts. */
export const counted = (count: number | null, noun: string): string =>
  count === null ? `more than 10,000 ${noun}s` : `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

/** Says in words what the caller may do in an application. */
export const accessOf = (permission: 'read' | 'write'): string => (permission === 'write' ? 'can edit' : 'can read');

/** Parses a JSON object; undefined when the text is none. */
export const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};
