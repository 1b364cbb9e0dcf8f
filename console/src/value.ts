/** A value of a record as a person reads it: numbers short, everything else as it is. */
export const shown = (value: unknown, unit?: string | null): string => {
  const text =
    typeof value === 'number'
      ? value.toLocaleString(undefined, { maximumSignificantDigits: 6 })
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return unit ? `${text} ${unit}` : text;
};
