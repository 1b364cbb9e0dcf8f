import { illegalArgument, parsing } from '../search-failure.js';
import { integer, type Read, text } from '../syntax/value.js';
import type { Binding } from './binding.js';
import { handWritten, type ParseClause } from './clause.js';
import type { Clause } from './clause-node.js';
import type { WrittenQuery } from './lucene/bind-expression.js';
import { parseSimple } from './lucene/simple.js';
import { withoutBoost } from './option/full-text.js';
import { bindWritten, shared } from './option/written.js';
import type { Predicate } from './predicate.js';

export interface SimpleQueryStringQuery extends Clause<'simple_query_string'>, WrittenQuery {
  /** Active operators, by the engines' names; undefined for all. */
  readonly flags?: ReadonlySet<string>;
}

/** Operators of the simple syntax in the order of their bits. */
const operatorNames = ['AND', 'NOT', 'OR', 'PREFIX', 'PHRASE', 'PRECEDENCE', 'ESCAPE', 'WHITESPACE', 'FUZZY'];

const otherNames = new Set(['ALL', 'NONE', 'NEAR', 'SLOP']);

/** Parses names of operators joined by `|`, or their bits as a number. */
const operators: Read<string[]> = (input) => {
  if (input.node.kind === 'number') {
    const bits = integer(input);
    return bits < 0 ? ['ALL'] : operatorNames.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1);
  }
  const names = text(input)
    .toUpperCase()
    .split('|')
    .filter((name) => name !== '');
  const unknown = names.find((name) => !operatorNames.includes(name) && !otherNames.has(name));
  if (unknown !== undefined) throw illegalArgument(`Unknown simple_query_string flag [${unknown}]`, input);
  return names;
};

export const simpleQueryString: ParseClause<SimpleQueryStringQuery> = (at) => {
  const options = handWritten('simple_query_string', { ...shared, flags: operators })(at);
  if (options.query === undefined) throw parsing('[simple_query_string] query text missing', at);
  const fields = (options.fields ?? []).map(withoutBoost);
  const { flags } = options;
  return {
    kind: 'simple_query_string',
    at,
    text: options.query,
    fields,
    and: options.default_operator === 'and',
    lenient: options.lenient ?? (fields.length === 0 || fields.includes('*')),
    ...(options.minimum_should_match !== undefined && { minimumShouldMatch: options.minimum_should_match }),
    ...(flags !== undefined && !flags.includes('ALL') && { flags: new Set(flags) }),
  };
};

export const bindSimpleQueryString = (query: SimpleQueryStringQuery, binding: Binding): Predicate =>
  bindWritten(query, binding, () => parseSimple(query.text, query.and, query.flags));
