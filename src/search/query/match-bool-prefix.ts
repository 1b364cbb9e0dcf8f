import { single } from './match.js';

export const matchBoolPrefix = single('match_bool_prefix', true);
