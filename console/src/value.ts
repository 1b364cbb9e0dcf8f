/** Formats a value of a record for users. Numbers are shortened; other values stay unchanged. */
export const shown = (value: unknown, unit?: string | null): string => {
  const text =
    typeof value === 'number'
      ? value.toLocaleString(undefined, { maximumSignificantDigits: 6 })
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return unit ? `${text} ${unit}` : text;
};
