import { oneNumber } from './value/metric.js';

/** Plans the sum of a field's values. */
export const sum = oneNumber('sum', 0, 0);
