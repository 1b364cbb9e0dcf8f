import { object } from '../syntax/object.js';
import { common, type ParseQuery } from './clause.js';

export const matchAll: ParseQuery = (at) => {
  object('match_all', common)(at);
  return { kind: 'match_all', at };
};
