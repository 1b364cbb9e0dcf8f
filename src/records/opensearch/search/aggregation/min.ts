import { oneNumber } from './value/metric.js';

/** Plans the smallest of a field's values. */
export const min = oneNumber('min', null, Infinity);
