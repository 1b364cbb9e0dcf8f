import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { flag, type Read, text } from '../syntax/value.js';
import type { BindInner, Binding } from './binding.js';
import { clauses, common, type ParseInner } from './clause.js';
import type { Clause } from './clause-node.js';
import { requiredOf } from './minimum-should-match.js';
import { and, atLeastOf, none, not, or, type Predicate } from './predicate.js';

export interface BoolQuery<Q> extends Clause<'bool'> {
  readonly must: readonly Q[];
  readonly filter: readonly Q[];
  readonly should: readonly Q[];
  readonly mustNot: readonly Q[];
  /** As written: a number, `75%`, `2<-25%`. */
  readonly minimumShouldMatch?: string;
  /** Whether `must_not` alone selects all other records, instead of none. */
  readonly adjustPureNegative: boolean;
}

const orNull =
  <T>(read: Read<T>): Read<T | undefined> =>
  (input) =>
    input.isNull ? undefined : read(input);

export const bool = <Q>(at: Input, inner: ParseInner<Q>): BoolQuery<Q> => {
  const many = clauses(inner);
  const parsed = object('bool', {
    must: many,
    filter: many,
    should: many,
    must_not: many,
    mustNot: many,
    minimum_should_match: orNull(text),
    adjust_pure_negative: flag,
    ...common,
  })(at);
  return {
    kind: 'bool',
    at,
    must: parsed.must ?? [],
    filter: parsed.filter ?? [],
    should: parsed.should ?? [],
    mustNot: [...(parsed.must_not ?? []), ...(parsed.mustNot ?? [])],
    adjustPureNegative: parsed.adjust_pure_negative ?? true,
    ...(parsed.minimum_should_match === undefined ? {} : { minimumShouldMatch: parsed.minimum_should_match }),
  };
};

export const bindBool = <Q>(
  { must, filter, should, mustNot, minimumShouldMatch, adjustPureNegative, at }: BoolQuery<Q>,
  _binding: Binding,
  bind: BindInner<Q>,
): Predicate => {
  // This is the engines' order, which matters for clauses with the same name: the last one bound keeps it.
  const needed = must.map(bind);
  const refused = mustNot.map(bind);
  const optional = should.map(bind);
  const alone = must.length === 0 && filter.length === 0;
  const isEmpty = alone && should.length === 0 && mustNot.length === 0;
  const wanted =
    minimumShouldMatch === undefined || isEmpty ? undefined : requiredOf(minimumShouldMatch, should.length, at);
  if (alone && should.length === 0 && !isEmpty && !adjustPureNegative) return none;
  // Without `must` and `filter`, at least one optional clause has to match, even if the request says 0.
  const required = should.length === 0 ? (alone ? 0 : (wanted ?? 0)) : alone ? Math.max(1, wanted ?? 1) : (wanted ?? 0);
  return and([...needed, ...filter.map(bind), atLeastOf(required, optional), not(or(refused))]);
};
