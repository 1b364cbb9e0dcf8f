import { isStorable } from '../../entities/storable.js';
import { JsonString } from '../../json.js';
import { illegalArgument, queryShard, SearchFailure } from '../failure.js';
import type { Field } from '../field/field.js';
import { Input } from '../syntax/input.js';
import { scalarText } from '../syntax/value.js';
import { bindExists, bindRange, bindTerm } from './bind-term.js';
import { type Binding, dateReading, known } from './binding.js';
import { parseClassic } from './lucene/classic.js';
import type { Expression, Leaf, Occur } from './lucene/expression.js';
import { parseSimple } from './lucene/simple.js';
import { LuceneSyntaxError } from './lucene/syntax-error.js';
import { requiredOf } from './minimum-should-match.js';
import { all, and, atLeastOf, none, not, or, type Predicate } from './predicate.js';
import type { MatchQuery, MultiMatchQuery, PatternQuery, QueryStringQuery, SimpleQueryStringQuery } from './query.js';
import { translateRegexp } from './regexp.js';

export const bindPattern = (
  { clause, field: path, pattern, caseInsensitive, at }: PatternQuery,
  { fields }: Binding,
): Predicate => {
  const field = known(fields, path, at);
  if (field === undefined) return none;
  if (field.kind !== 'keyword') {
    throw queryShard(
      `Can only use ${clause} queries on keyword, text and wildcard fields - not on [${path}] which is of type [${field.kind}]`,
      at,
    );
  }
  // The engines' automaton of an empty pattern takes no text, not even the empty one.
  if (pattern.kind === 'wildcard' && pattern.parts.length === 0) return none;
  return isStorable(JSON.stringify(pattern)) && isStorable(textOf(pattern))
    ? { kind: 'pattern', field, pattern, caseInsensitive }
    : none;
};

const textOf = (pattern: PatternQuery['pattern']): string => {
  if (pattern.kind === 'regexp') return pattern.expression;
  if (pattern.kind !== 'wildcard') return pattern.text;
  return pattern.parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
};

export const bindMatch = ({ field, value, lenient, prefix, at }: MatchQuery, binding: Binding): Predicate =>
  matching(known(binding.fields, field, at), value, { lenient, prefix, at }, binding);

export const bindMultiMatch = ({ fields, value, lenient, prefix, at }: MultiMatchQuery, binding: Binding): Predicate =>
  or(expand(fields, at, binding).map((field) => matching(field, value, { lenient, prefix, at }, binding)));

export const bindQueryString = (query: QueryStringQuery, binding: Binding): Predicate => {
  // A zone that there is not is a fault even where no date is asked for.
  dateReading(binding.now, undefined, query.timeZone);
  return bindWritten(query, binding, () => parseClassic(query.text, query));
};

const bindWritten = (query: Written, binding: Binding, parse: () => Expression): Predicate => {
  try {
    return bindExpression(parse(), query, binding, query.minimumShouldMatch);
  } catch (error) {
    if (!(error instanceof LuceneSyntaxError)) throw error;
    throw queryShard(`Failed to parse query [${query.text}]`, query.at, {
      type: 'parse_exception',
      reason: error.message,
      ...(error.lexical && { caused_by: { type: 'token_mgr_error', reason: error.message } }),
    });
  }
};

export const bindSimpleQueryString = (query: SimpleQueryStringQuery, binding: Binding): Predicate =>
  bindWritten(query, binding, () => parseSimple(query.text, query.and, query.flags));

interface Matching {
  readonly lenient: boolean;
  readonly prefix: boolean;
  readonly at: Input;
}

/** A value of a query as one of a field: text as a whole, everything else exactly. */
const matching = (
  field: Field | undefined,
  value: Input,
  { lenient, prefix, at }: Matching,
  binding: Binding,
): Predicate => {
  if (field === undefined) return none;
  if (prefix && field.kind === 'keyword') {
    const text = scalarText(value) ?? '';
    return isStorable(text)
      ? { kind: 'pattern', field, pattern: { kind: 'prefix', text }, caseInsensitive: false }
      : none;
  }
  return leniently(lenient, () =>
    bindTerm({ kind: 'term', field: field.path, value, caseInsensitive: false, at }, binding),
  );
};

/** What a lenient query asks of a field that cannot have it matches nothing. */
const leniently = (lenient: boolean, bind: () => Predicate): Predicate => {
  try {
    return bind();
  } catch (error) {
    if (lenient && error instanceof SearchFailure) return none;
    throw error;
  }
};

/** The fields of names and patterns; of no name all that texts can be looked for in. */
const expand = (names: readonly string[], at: Input, { fields, lookups }: Binding): Field[] => {
  const patterns = names.length === 0 ? ['*'] : names;
  return patterns.flatMap((name) => {
    const found = name.includes('*')
      ? fields.matching(name).filter(({ kind, path }) => kind !== 'geo_point' && path !== '_doc')
      : [known(fields, name, at) ?? []].flat();
    lookups?.add(found.length, at);
    return found;
  });
};

type Written = QueryStringQuery | SimpleQueryStringQuery;

const bindExpression = (expression: Expression, query: Written, binding: Binding, minimum?: string): Predicate => {
  switch (expression.kind) {
    case 'all':
      return all;
    case 'exists':
      return bindExists({ kind: 'exists', field: expression.field, at: query.at }, binding);
    case 'leaf': {
      const everywhere = expression.field === undefined && (query.fields.length === 0 || query.fields.includes('*'));
      if (expression.leaf.kind === 'any' && everywhere) return all;
      const fields = expand(expression.field === undefined ? query.fields : [expression.field], query.at, binding);
      return or(
        fields.map((field) => leniently(query.lenient, () => bindLeaf(field, expression.leaf, query, binding))),
      );
    }
    case 'bool': {
      if (expression.clauses.length === 0) return none;
      // In the order in which they are written, so that of several faults the first is named.
      const bound = expression.clauses.map((clause) => ({
        occur: clause.occur,
        predicate: bindExpression(clause.expression, query, binding),
      }));
      const of = (occur: Occur) => bound.filter((one) => one.occur === occur).map(({ predicate }) => predicate);
      const [must, should, mustNot] = [of('must'), of('should'), of('mustNot')];
      const alone = must.length === 0 && should.length > 0 ? 1 : 0;
      const required = minimum === undefined ? alone : Math.max(alone, requiredOf(minimum, should.length, query.at));
      return and([...must, atLeastOf(required, should), not(or(mustNot))]);
    }
  }
};

const bindLeaf = (field: Field, leaf: Leaf, query: Written, binding: Binding): Predicate => {
  const { at } = query;
  const input = (text: string) => new Input(new JsonString(at.node, text), at.path);
  const path = field.path;
  const inZone = 'timeZone' in query && query.timeZone ? { timeZone: query.timeZone } : {};
  switch (leaf.kind) {
    case 'any':
      return { kind: 'exists', field };
    case 'term':
      return bindTerm(
        { kind: 'term', field: path, value: input(leaf.text), caseInsensitive: false, at, ...inZone },
        binding,
      );
    case 'prefix':
      return bindPattern(
        { kind: 'pattern', clause: 'prefix', field: path, pattern: leaf, caseInsensitive: false, at },
        binding,
      );
    case 'wildcard':
      return bindPattern(
        { kind: 'pattern', clause: 'wildcard', field: path, pattern: leaf, caseInsensitive: false, at },
        binding,
      );
    case 'regexp': {
      if (leaf.text.length > 1000)
        throw illegalArgument(
          `The length of regex [${leaf.text.length}] has exceeded the allowed maximum of [1000].`,
          at,
        );
      const pattern = { kind: 'regexp', expression: translateRegexp(leaf.text, false, at) } as const;
      return bindPattern(
        { kind: 'pattern', clause: 'regexp', field: path, pattern, caseInsensitive: false, at },
        binding,
      );
    }
    case 'range': {
      const { lower, upper } = leaf;
      return bindRange(
        {
          kind: 'range',
          field: path,
          at,
          ...(lower && { lower: { value: input(lower.text), inclusive: lower.inclusive } }),
          ...(upper && { upper: { value: input(upper.text), inclusive: upper.inclusive } }),
          ...inZone,
        },
        binding,
      );
    }
  }
};
