import type { Answer } from '#search/aggregation/aggregation-answer.js';
import { javaDouble, type Print } from '#search/aggregation/format.js';
import type { PercentilesMetric } from '#search/aggregation/percentiles.js';

/** Builds the answer of percentiles or percentile ranks: the values by point, as keys or as a list. */
export const percentAnswer = (
  { points, keyed }: PercentilesMetric,
  values: readonly (number | null)[],
  print: Print,
): Answer => {
  const texts = values.map((value) => (value === null || print === undefined ? undefined : print(value)));
  if (!keyed) {
    const items = points.map((key, index) => ({
      key,
      value: values[index] ?? null,
      ...(texts[index] !== undefined && { value_as_string: texts[index] }),
    }));
    return { values: items };
  }
  const entries = points.flatMap((point, index): [string, unknown][] => {
    const name = javaDouble(point);
    return [
      [name, values[index] ?? null],
      ...(texts[index] === undefined ? [] : [[`${name}_as_string`, texts[index]] as [string, unknown]]),
    ];
  });
  return { values: Object.fromEntries(entries) };
};
