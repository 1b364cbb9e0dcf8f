import { oneNumber } from './value/one-number.js';

/** Plans the largest value of a field. */
export const max = oneNumber('max', null, -Infinity);
