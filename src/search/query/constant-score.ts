import { parsing } from '../failure.js';
import { handWritten, loosely, type ParseQuery } from './clause.js';

export const constantScore: ParseQuery = (at, inner) => {
  const { filter } = handWritten('constant_score', { filter: inner, ...loosely })(at);
  if (filter === undefined) throw parsing("[constant_score] requires a 'filter' element", at);
  return filter;
};
