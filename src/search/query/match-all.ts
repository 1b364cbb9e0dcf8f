import { object } from '../syntax/object.js';
import { common, type ParseClause } from './clause.js';
import type { Clause } from './node.js';

export const matchAll: ParseClause<Clause<'match_all'>> = (at) => {
  object('match_all', common)(at);
  return { kind: 'match_all', at };
};
