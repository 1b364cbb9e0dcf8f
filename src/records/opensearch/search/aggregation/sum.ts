import { oneNumber } from './value/metric.js';

/** The sum of the values of a field. */
export const sum = oneNumber('sum', 0, 0);
