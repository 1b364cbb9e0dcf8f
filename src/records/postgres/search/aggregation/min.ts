import { oneNumber } from './value/one-number.js';

/** The smallest value of a field. */
export const min = oneNumber('min', null, Infinity);
