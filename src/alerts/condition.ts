import { type AlertComparison, type AlertCondition, AlertOperator } from '#entities/alert-condition.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Evaluates comparisons on the values of a record. Returns undefined if the comparisons that can be evaluated do not
 * decide, because the record lacks a variable or has it in another type.
 */
export function evaluate({ all, any }: AlertCondition, values: Values): boolean | undefined {
  const decisive = any != null;
  let unknown = false;
  for (const comparison of any ?? all ?? []) {
    const holds = compare(comparison, values);
    if (holds === decisive) return decisive;
    if (holds === undefined) unknown = true;
  }
  return unknown ? undefined : !decisive;
}

/** Returns the values of a record that conditions compare. */
export const comparedValues = (conditions: readonly (AlertCondition | null)[], values: Values): Values => {
  const names = conditions.flatMap((condition) => comparisonsOf(condition).map(({ variable }) => variable));
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]] as const] : [])),
  );
};

/** Returns the comparisons of a condition. A query has none. */
export const comparisonsOf = (condition: AlertCondition | null): readonly AlertComparison[] =>
  condition?.all ?? condition?.any ?? [];

function compare({ variable, operator, value: limit }: AlertComparison, values: Values): boolean | undefined {
  const found = Object.hasOwn(values, variable) ? values[variable] : undefined;
  // A text that is a number counts as one, as in searches.
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
