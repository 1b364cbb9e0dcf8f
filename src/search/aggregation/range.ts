import { rangesOver } from './option/range.js';

export const range = rangesOver('range');
