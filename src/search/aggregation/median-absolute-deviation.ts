import { illegalArgument } from '../failure.js';
import { number, type Read } from '../syntax/value.js';
import { simpleMetric } from './option/simple-metric.js';

/** How exactly the engines estimate, where ours are exact. */
const positive: Read<number> = (input) => {
  const value = number(input);
  if (value > 0) return value;
  throw illegalArgument(`[${input.key}] must be greater than 0. Found [${value}]`, input);
};

export const medianAbsoluteDeviation = simpleMetric('median_absolute_deviation', { compression: positive });
