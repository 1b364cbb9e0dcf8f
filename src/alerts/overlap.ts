import { type AlertComparison, type AlertCondition, AlertOperator } from '#entities/alert-condition.js';
import { isSameJson } from '#entities/stored-json.js';
import { exactOf } from '#json/decimal.js';
import { comparisonsOf, isOfNumbers, shortName } from './condition.js';

/** Whether some values meet both conditions. A query overlaps only with the same query. */
export function overlaps(when: AlertCondition, until: AlertCondition): boolean {
  if (when.query != null || until.query != null) return isSameJson(when.query, until.query);
  return alternatives(when).some((one) => alternatives(until).some((other) => isSatisfiable([...one, ...other])));
}

/** Returns the alternatives of a condition. An alternative holds if all its comparisons do. */
const alternatives = (condition: AlertCondition): readonly (readonly AlertComparison[])[] =>
  condition.any != null ? condition.any.map((comparison) => [comparison]) : [comparisonsOf(condition)];

const isSatisfiable = (comparisons: readonly AlertComparison[]): boolean =>
  [...Map.groupBy(comparisons, ({ variable }) => shortName(variable)).values()].every(hasValue);

/** Whether some value meets all these comparisons, which concern one variable. */
function hasValue(comparisons: readonly AlertComparison[]): boolean {
  const [first] = comparisons;
  if (comparisons.some(isOfNumbers)) {
    const numbers = comparisons.flatMap(({ operator, value }) => {
      const number = exactOf(value);
      return number === undefined ? [] : { operator, value: number };
    });
    return numbers.length === comparisons.length && hasNumber(numbers);
  }
  if (comparisons.some(({ value }) => typeof value !== typeof first!.value)) return false;
  const equals = comparisons.filter(({ operator }) => operator === AlertOperator.eq);
  const excluded = comparisons.filter(({ operator }) => operator === AlertOperator.ne).map(({ value }) => value);
  if (typeof first!.value === 'boolean') {
    return [true, false].some(
      (value) => equals.every((one) => one.value === value) && excluded.every((other) => other !== value),
    );
  }
  if (typeof first!.value === 'string') {
    return equals.every(({ value }) => value === equals[0]!.value && !excluded.includes(value));
  }
  return false;
}

interface Bound {
  operator: AlertOperator;
  value: number | bigint;
}

function hasNumber(comparisons: readonly Bound[]): boolean {
  const excluded = comparisons.filter(({ operator }) => operator === AlertOperator.ne).map(({ value }) => value);
  let low = { value: Number.NEGATIVE_INFINITY as Bound['value'], open: true };
  let high = { value: Number.POSITIVE_INFINITY as Bound['value'], open: true };
  for (const { operator, value } of comparisons) {
    const open = operator === AlertOperator.lt || operator === AlertOperator.gt;
    const raises = operator === AlertOperator.gt || operator === AlertOperator.gte || operator === AlertOperator.eq;
    const lowers = operator === AlertOperator.lt || operator === AlertOperator.lte || operator === AlertOperator.eq;
    if (raises && (value > low.value || (isEqual(value, low.value) && open))) low = { value, open };
    if (lowers && (value < high.value || (isEqual(value, high.value) && open))) high = { value, open };
  }
  if (low.value < high.value) return true;
  const isPoint = isEqual(low.value, high.value) && !low.open && !high.open;
  return isPoint && !excluded.some((value) => isEqual(value, low.value));
}

/** Whether two numbers are equal, also a whole number beyond 2^53 and another. */
const isEqual = (one: Bound['value'], other: Bound['value']): boolean => !(one < other) && !(one > other);
