import { type AlertComparison, type AlertCondition, AlertOperator } from '../entities/alert-condition.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Judges a record's values by comparisons. Undefined: the record lacks a variable, or it is of another type, and nothing
 * else decides.
 */
export function judge({ all, any }: AlertCondition, values: Values): boolean | undefined {
  const decisive = any != null;
  let unknown = false;
  for (const comparison of any ?? all ?? []) {
    const holds = compare(comparison, values);
    if (holds === decisive) return decisive;
    if (holds === undefined) unknown = true;
  }
  return unknown ? undefined : !decisive;
}

/** The values that a condition compares, of those that a record has. */
export const comparedValues = (conditions: readonly (AlertCondition | null)[], values: Values): Values => {
  const names = conditions.flatMap((condition) => comparisonsOf(condition).map(({ variable }) => variable));
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]] as const] : [])),
  );
};

/** The comparisons of a condition; none of a query. */
export const comparisonsOf = (condition: AlertCondition | null): readonly AlertComparison[] =>
  condition?.all ?? condition?.any ?? [];

function compare({ variable, operator, value: limit }: AlertComparison, values: Values): boolean | undefined {
  const found = Object.hasOwn(values, variable) ? values[variable] : undefined;
  // A number that a record has as text is read as one, as searches read it.
  const value = typeof limit === 'number' && typeof found === 'string' ? numberOf(found) : found;
  if (typeof value === 'number' && typeof limit === 'number') return operators[operator](value, limit);
  if (typeof value !== typeof limit) return undefined;
  if (operator === AlertOperator.eq) return value === limit;
  return operator === AlertOperator.ne ? value !== limit : undefined;
}

const numberOf = (text: string): number | undefined => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
};

const operators: Readonly<Record<AlertOperator, (value: number, limit: number) => boolean>> = {
  lt: (value, limit) => value < limit,
  lte: (value, limit) => value <= limit,
  gt: (value, limit) => value > limit,
  gte: (value, limit) => value >= limit,
  eq: (value, limit) => value === limit,
  ne: (value, limit) => value !== limit,
};
