import { oneNumber } from './value/one-number.js';

/** The largest value of a field. */
export const max = oneNumber('max', null, -Infinity);
