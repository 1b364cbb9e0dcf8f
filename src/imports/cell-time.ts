import { numberPattern, readDecimalComma } from './cell-number.js';

const isoTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s?(Z|UTC|[+-]\d{2}(:?\d{2})?)$/;
const zoneless = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?$/;

/**
 * Reads a timestamp as Unix seconds. Returns a message if it is not valid.
 * @param delimiter separates the cells of the file; with a semicolon, numbers may have a decimal comma
 */
export const readTime = (given: string, delimiter = ','): number | string => {
  const number = readDecimalComma(given, delimiter);
  if ('fault' in number) return number.fault;
  const { text } = number;
  if (numberPattern.test(text)) {
    const value = Number(text);
    return value >= 1e11 ? value / 1000 : value;
  }
  if (isoTime.test(text)) {
    const [, fraction] = /\.(\d+)/.exec(text) ?? [];
    const whole = Date.parse(
      text
        .replace(' ', 'T')
        .replace(/\s?UTC$/, 'Z')
        .replace(/\s/, '')
        .replace(/\.\d+/, '')
        .replace(/(:\d{2}[+-]\d{2})$/, '$1:00'),
    );
    if (!Number.isNaN(whole)) return whole / 1000 + (fraction === undefined ? 0 : Number(`0.${fraction}`));
  }
  if (zoneless.test(text))
    return 'has no time zone: write it with its offset, such as 2026-11-20T12:00:00+01:00, or with Z for UTC';
  return 'must be Unix seconds, or a time such as 2026-11-20T12:00:00Z';
};
