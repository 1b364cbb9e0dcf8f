import { type AlertComparison, type AlertCondition, AlertOperator } from '#entities/alert-condition.js';
import { exactOf } from '#json/decimal.js';
import type { PlainJson } from '#json/json.js';
import { valueOfName } from '#json/key-path.js';

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

/** Returns the values of a record that conditions compare, by the names of their variables. */
export const comparedValues = (conditions: readonly (AlertCondition | null)[], values: Values): Values =>
  valuesOf(
    values,
    conditions.flatMap((condition) => comparisonsOf(condition).map(({ variable }) => variable)),
  );

/**
 * Returns the name of a variable without `data.` in front, as searches and hook filters write it.
 */
export const shortName = (name: string): string => (name.startsWith('data.') ? name.slice('data.'.length) : name);

/** Returns the value of a variable, which may be named as in a search. A device may also send an object `data`. */
export const variableValue = (values: Values, name: string): PlainJson | undefined => {
  const data = values as Readonly<Record<string, PlainJson>>;
  return valueOfName(data, name) ?? (name.startsWith('data.') ? valueOfName(data, shortName(name)) : undefined);
};

/** Returns the values of variables, under their names. Leaves out those that the record lacks. */
export const valuesOf = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = variableValue(values, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

/** Returns the comparisons of a condition. A query has none. */
export const comparisonsOf = (condition: AlertCondition | null): readonly AlertComparison[] =>
  condition?.all ?? condition?.any ?? [];

/** Whether a comparison is of numbers. Whole numbers beyond 2^53 are texts, as in records. */
export const isOfNumbers = ({ operator, value }: AlertComparison): boolean =>
  typeof value === 'number' || (operator !== AlertOperator.eq && operator !== AlertOperator.ne);

/** Compares as searches do: of a list, one value must meet the comparison, and for `ne` all. */
function compare(comparison: AlertComparison, values: Values): boolean | undefined {
  const met = leaves(variableValue(values, comparison.variable)).flatMap(
    (value) => compareOne(comparison, value) ?? [],
  );
  if (met.length === 0) return undefined;
  return comparison.operator === AlertOperator.ne ? !met.includes(false) : met.includes(true);
}

const leaves = (value: PlainJson | undefined): (PlainJson | undefined)[] =>
  Array.isArray(value) ? value.flatMap(leaves) : [value];

function compareOne(comparison: AlertComparison, found: PlainJson | undefined): boolean | undefined {
  const { operator, value: limit } = comparison;
  if (isOfNumbers(comparison)) {
    const [value, bound] = [exactOf(found), exactOf(limit)];
    if (value === undefined || bound === undefined) return undefined;
    return operators[operator](Number(value > bound) - Number(value < bound));
  }
  const value = typeof limit === 'boolean' ? booleanOf(found) : textOf(found);
  return value === undefined ? undefined : (value === limit) === (operator === AlertOperator.eq);
}

/** Returns a boolean in one of the forms in which devices send it, as a variable of the type BOOL takes them. */
const booleanOf = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || value === 'true') return true;
  return value === 0 || value === '0' || value === 'false' ? false : undefined;
};

/** Returns a text, or that of another value, as a variable of the type TXT takes it. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** Whether an operator holds, by the sign of the difference between a value and the limit. */
const operators: Readonly<Record<AlertOperator, (sign: number) => boolean>> = {
  lt: (sign) => sign < 0,
  lte: (sign) => sign <= 0,
  gt: (sign) => sign > 0,
  gte: (sign) => sign >= 0,
  eq: (sign) => sign === 0,
  ne: (sign) => sign !== 0,
};
