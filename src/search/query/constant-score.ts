import { parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { handWritten, loosely, type ParseInner } from './clause.js';

export const constantScore = <Q>(at: Input, inner: ParseInner<Q>): Q => {
  const { filter } = handWritten('constant_score', { filter: inner, ...loosely })(at);
  if (filter === undefined) throw parsing("[constant_score] requires a 'filter' element", at);
  return filter;
};
