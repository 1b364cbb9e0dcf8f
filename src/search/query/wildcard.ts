import { wildcardParts } from './lucene/wildcard.js';
import { patternClause } from './option/pattern.js';

export const wildcard = patternClause('wildcard', (value) => ({ kind: 'wildcard', parts: wildcardParts(value) }));
