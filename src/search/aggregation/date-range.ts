import { rangesOver } from './option/range.js';

export const dateRange = rangesOver('date_range');
