import { handWritten, loosely, type ParseQuery } from './clause.js';

export const matchNone: ParseQuery = (at) => {
  handWritten('match_none', loosely)(at);
  return { kind: 'match_none', at };
};
