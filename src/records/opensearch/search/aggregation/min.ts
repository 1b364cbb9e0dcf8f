import { oneNumber } from './value/metric.js';

/** The smallest value of a field. */
export const min = oneNumber('min', null, Infinity);
