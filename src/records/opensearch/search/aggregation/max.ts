import { oneNumber } from './value/metric.js';

/** Plans the largest of a field's values. */
export const max = oneNumber('max', null, -Infinity);
