/** Matches a number as JSON writes it. */
export const numberPattern = /^-?(0|[1-9]\d{0,399})(\.\d{1,399})?([eE][+-]?\d{1,3})?$/;
/** Matches a number with a decimal comma. */
const decimalComma = /^[+-]?\d{1,30},\d{1,30}([eE][+-]?\d{1,3})?$/;
/** Matches a number whose thousands are separated, if its decimal separator tells it from other texts. */
const thousands = /^[+-]?\d{1,3}(?:(?:[.\s'’]\d{3})+,|(?:[,\s'’]\d{3})+\.)\d{1,30}$/;

/**
 * Turns a decimal comma into a decimal point. Numbers may have one only in files whose cells are separated by
 * semicolons.
 * @returns the text with a decimal point, any other text as it is, or a fault
 */
export const readDecimalComma = (text: string, delimiter: string): { text: string } | { fault: string } => {
  const isComma = decimalComma.test(text);
  if (!isComma && !thousands.test(text)) return { text };
  const point = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'));
  const whole = text
    .slice(0, point)
    .replaceAll(/[^-\d]/g, '')
    .replace(/^(-?)0+(\d)/, '$1$2');
  const number = `${whole}.${text.slice(point + 1)}`;
  if (isComma && delimiter === ';') return { text: number };
  const what = isComma ? 'a decimal comma' : 'separators of thousands';
  return { fault: `${text} has ${what}: write ${number}` };
};
