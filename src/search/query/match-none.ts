import { handWritten, loosely, type ParseClause } from './clause.js';
import type { Clause } from './node.js';

export const matchNone: ParseClause<Clause<'match_none'>> = (at) => {
  handWritten('match_none', loosely)(at);
  return { kind: 'match_none', at };
};
