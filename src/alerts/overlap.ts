import { type AlertComparison, type AlertCondition, AlertOperator } from '#entities/alert-condition.js';
import { isSameJson } from '#entities/stored-json.js';
import { decimalOf } from '#json/decimal.js';
import { comparisonsOf, isOfNumbers } from './condition.js';

/** Whether some values meet both conditions. A query overlaps only with the same query. */
export function overlaps(when: AlertCondition, until: AlertCondition): boolean {
  if (when.query != null || until.query != null) return isSameJson(when.query, until.query);
  return alternatives(when).some((one) => alternatives(until).some((other) => isSatisfiable([...one, ...other])));
}

/** Returns the alternatives of a condition. An alternative holds if all its comparisons do. */
const alternatives = (condition: AlertCondition): readonly (readonly AlertComparison[])[] =>
  condition.any != null ? condition.any.map((comparison) => [comparison]) : [comparisonsOf(condition)];

const isSatisfiable = (comparisons: readonly AlertComparison[]): boolean =>
  [...Map.groupBy(comparisons, ({ variable }) => variable).values()].every(hasValue);

/** Whether some value meets all these comparisons, which concern one variable. */
function hasValue(comparisons: readonly AlertComparison[]): boolean {
  const [first] = comparisons;
  if (comparisons.some(isOfNumbers)) {
    const numbers = comparisons.map((one) => ({ ...one, value: decimalOf(one.value) }));
    return numbers.every(({ value }) => value !== undefined) && hasNumber(numbers as AlertComparison[]);
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

function hasNumber(comparisons: readonly AlertComparison[]): boolean {
  const excluded = comparisons.filter(({ operator }) => operator === AlertOperator.ne).map(({ value }) => value);
  let low = { value: Number.NEGATIVE_INFINITY, open: true };
  let high = { value: Number.POSITIVE_INFINITY, open: true };
  for (const { operator, value } of comparisons) {
    if (typeof value !== 'number') continue;
    const open = operator === AlertOperator.lt || operator === AlertOperator.gt;
    const raises = operator === AlertOperator.gt || operator === AlertOperator.gte || operator === AlertOperator.eq;
    const lowers = operator === AlertOperator.lt || operator === AlertOperator.lte || operator === AlertOperator.eq;
    if (raises && (value > low.value || (value === low.value && open))) low = { value, open };
    if (lowers && (value < high.value || (value === high.value && open))) high = { value, open };
  }
  if (low.value < high.value) return true;
  return low.value === high.value && !low.open && !high.open && !excluded.includes(low.value);
}
