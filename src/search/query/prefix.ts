import { patternClause } from './option/pattern.js';

export const prefix = patternClause('prefix', (value) => ({ kind: 'prefix', text: value }));
