import { single } from './match.js';

export const matchPhrase = single('match_phrase', false);
