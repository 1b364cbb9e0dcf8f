import { oneNumber } from './value/metric.js';

/** The largest value of a field. */
export const max = oneNumber('max', null, -Infinity);
