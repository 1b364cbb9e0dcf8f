import { oneNumber } from './value/one-number.js';

/** Plans the smallest value of a field. */
export const min = oneNumber('min', null, Infinity);
