import { oneNumber } from './value/metric.js';

/** The mean of the values of a field. */
export const avg = oneNumber('avg', null, 'last');
