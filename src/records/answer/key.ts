import { hiddenKey } from '#search/aggregation/aggregation-answer.js';
import { javaDouble, type Print } from '#search/aggregation/format.js';
import type { Field } from '#search/field/field.js';

/** Formats a key as the engines do, with its text form if it has one. Whole numbers beyond 2^53 stay decimal text. */
export const writtenKey = (
  field: Field | undefined,
  raw: unknown,
  print: Print,
): { key: unknown; key_as_string?: string; [hiddenKey]?: string } => {
  const key = plainKey(field, raw);
  const number = typeof key === 'string' && field?.kind === 'long' ? BigInt(key) : key;
  const isNumber = typeof number === 'number' || typeof number === 'bigint';
  const shown = isNumber && print !== undefined ? { key_as_string: print(number) } : {};
  return { key, ...shown, ...(field?.kind === 'double' && { [hiddenKey]: javaDouble(Number(key)) }) };
};

/** Returns the key in answers: a whole number that a double holds exactly as a number, a larger one as text. */
export const plainKey = (field: Pick<Field, 'kind'> | undefined, raw: unknown): unknown => {
  if (field?.kind === 'keyword' || typeof raw !== 'string') return raw;
  const number = Number(raw);
  return Number.isSafeInteger(number) ? number : raw;
};

/** Compares texts by their UTF-8 bytes. */
export const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Compares keys as stores return them: those of keyword fields as texts, others as numbers. */
export const compareKeys = (kind: Field['kind'], a: unknown, b: unknown): number => {
  if (kind === 'keyword') return compareTexts(String(a), String(b));
  if (typeof a === 'string' || typeof b === 'string') return compareBig(BigInt(a as string), BigInt(b as string));
  return Number(a) - Number(b);
};

const compareBig = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** Builds the answer of `terms`. `others` is the number of records in other buckets. */
export const termsAnswer = (others: number, buckets: readonly unknown[]): Record<string, unknown> => ({
  doc_count_error_upper_bound: 0,
  sum_other_doc_count: others,
  buckets,
});
