import { parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { byHand, number } from '../syntax/value.js';
import type { BindInner, Binding } from './binding.js';
import { flattened, loosely, type ParseInner } from './clause.js';
import type { Clause } from './node.js';
import type { Predicate } from './predicate.js';

/** A query whose `negative` clause only lowers scores, but must still fit its fields. */
export interface BoostingQuery<Q> extends Clause<'boosting'> {
  readonly positive: Q;
  readonly negative: Q;
}

/** Parses a boosting query. Apart from scores, it equals its positive clause. */
export const boosting = <Q>(at: Input, inner: ParseInner<Q>): BoostingQuery<Q> => {
  const found: { positive?: Q; negative?: Q } = {};
  let negativeBoost = -1;
  for (const { key, input } of flattened(at)) {
    if (input.isObject && (key === 'positive' || key === 'negative')) found[key] = inner(input);
    else if (!input.isObject && key === 'negative_boost') negativeBoost = byHand(number)(input);
    else if (!input.isObject && key === 'boost') byHand(loosely.boost)(input);
    else if (input.isObject || key !== '_name') throw parsing(`[boosting] query does not support [${key}]`, input);
  }
  const { positive, negative } = found;
  if (positive === undefined) throw parsing("[boosting] query requires 'positive' query to be set'", at);
  if (negative === undefined) throw parsing("[boosting] query requires 'negative' query to be set'", at);
  if (negativeBoost < 0)
    throw parsing("[boosting] query requires 'negative_boost' to be set to be a positive value'", at);
  return { kind: 'boosting', at, positive, negative };
};

export const bindBoosting = <Q>(
  { positive, negative }: BoostingQuery<Q>,
  _binding: Binding,
  inner: BindInner<Q>,
): Predicate => {
  const predicate = inner(positive);
  inner(negative);
  return predicate;
};
