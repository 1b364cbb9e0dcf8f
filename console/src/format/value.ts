/**
 * Formats a value of a record for users. Numbers are shortened; other values stay unchanged.
 * @param digits number of significant digits.
 */
export const shown = (value: unknown, unit?: string | null, digits = 6): string => {
  const text =
    typeof value === 'number'
      ? value.toLocaleString(undefined, { maximumSignificantDigits: digits })
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return unit ? `${text} ${unit}` : text;
};

/** Says in words what the caller may do in an application. */
export const accessOf = (permission: 'read' | 'write'): string => (permission === 'write' ? 'can edit' : 'can read');
