import type { Answer } from './aggregation-answer.js';

/** Moments of some numbers, from which their statistics are computed. */
export interface Moments {
  readonly count: number;
  readonly sum: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly sumOfSquares: number;
}

/** The engines' `stats`, with the properties in the same order. */
export interface Statistics {
  count: number;
  min: number | null;
  max: number | null;
  avg: number | null;
  sum: number;
}

/** Computes the `stats` of some numbers. */
export const statisticsOf = ({ count, sum, min, max }: Moments): Statistics => ({
  count,
  min,
  max,
  avg: count === 0 ? null : sum / count,
  sum,
});

/** Computes the engines' `extended_stats`, with variance and deviation of the population and of a sample. */
export const extendedOf = (moments: Moments, sigma: number): Record<string, unknown> => {
  const { count, sum, sumOfSquares } = moments;
  const none = count === 0;
  const scatter = Math.max(0, sumOfSquares - (sum * sum) / count);
  const variance = none ? null : scatter / count;
  // One value is not a sample: the engines write the text NaN.
  const sampling = none ? null : count === 1 ? 'NaN' : scatter / (count - 1);
  const deviation = variance === null ? null : Math.sqrt(variance);
  const deviationSampling = typeof sampling === 'number' ? Math.sqrt(sampling) : sampling;
  const mean = none ? null : sum / count;
  const bound = (of: number | string | null, sign: number) =>
    mean === null || typeof of !== 'number' ? of : mean + sign * sigma * of;
  return {
    ...statisticsOf(moments),
    sum_of_squares: none ? null : sumOfSquares,
    variance,
    variance_population: variance,
    variance_sampling: sampling,
    std_deviation: deviation,
    std_deviation_population: deviation,
    std_deviation_sampling: deviationSampling,
    std_deviation_bounds: {
      upper: bound(deviation, 1),
      lower: bound(deviation, -1),
      upper_population: bound(deviation, 1),
      lower_population: bound(deviation, -1),
      upper_sampling: bound(deviationSampling, 1),
      lower_sampling: bound(deviationSampling, -1),
    },
  };
};

/** Computes the moments of numbers. */
export const momentsOfAll = (numbers: readonly number[]): Moments => ({
  count: numbers.length,
  sum: numbers.reduce((sum, number) => sum + number, 0),
  min: numbers.length === 0 ? null : Math.min(...numbers),
  max: numbers.length === 0 ? null : Math.max(...numbers),
  sumOfSquares: numbers.reduce((sum, number) => sum + number * number, 0),
});

/** Replaces infinities and NaN by texts, as in the engines' statistics over buckets. */
export const beyondAsText = (numbers: Answer): Answer =>
  Object.fromEntries(
    Object.entries(numbers).map(([key, value]) => {
      if (typeof value === 'number' && !Number.isFinite(value)) return [key, `${value}`];
      return [key, key === 'std_deviation_bounds' ? beyondAsText(value as Answer) : value];
    }),
  );

/** Adds the text form of statistics, if there is one, after all numbers, as the engines do. */
export const withTexts = (numbers: Answer, print: ((value: number) => unknown) | undefined): Answer => {
  if (print === undefined) return numbers;
  if (numbers['count'] === 0) return numbers;
  const texts = Object.entries(numbers)
    .filter(([key, value]) => key !== 'count' && typeof value === 'number')
    .map(([key, value]) => [`${key}_as_string`, print(value as number)] as const);
  const bounds = numbers['std_deviation_bounds'] as Record<string, unknown> | undefined;
  const boundTexts =
    bounds &&
    Object.entries(bounds).map(
      ([key, value]) => [key, typeof value === 'number' ? String(print(value)) : value] as const,
    );
  return {
    ...numbers,
    ...Object.fromEntries<unknown>(texts),
    ...(boundTexts && { std_deviation_bounds_as_string: Object.fromEntries<unknown>(boundTexts) }),
  };
};
