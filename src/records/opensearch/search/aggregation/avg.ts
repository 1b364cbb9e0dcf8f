import { oneNumber } from './value/metric.js';

/** Plans the mean of a field's values. */
export const avg = oneNumber('avg', null, 'last');
