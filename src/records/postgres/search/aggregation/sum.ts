import { oneNumber } from './value/one-number.js';

/** The sum of the values of a field. */
export const sum = oneNumber('sum', 0, 0);
