import { JsonString } from '#json/json.js';
import type { Field } from '#search/field/field.js';
import { illegalArgument } from '#search/search-failure.js';
import { Input } from '#search/syntax/input.js';
import type { Binding } from '../binding.js';
import { bindExists } from '../exists.js';
import { requiredOf } from '../minimum-should-match.js';
import { expand, leniently, matching } from '../option/field-match.js';
import { bindPattern } from '../pattern-clause.js';
import { all, and, atLeastOf, none, not, or, type Predicate } from '../predicate.js';
import { bindRange } from '../range-clause.js';
import { bindTerm } from '../term.js';
import type { Expression, LuceneLeaf, Occur } from './expression.js';
import { parseRegexp } from './regexp.js';

/** A query in one of Lucene's syntaxes. */
export interface WrittenQuery {
  readonly at: Input;
  readonly text: string;
  readonly fields: readonly string[];
  readonly and: boolean;
  readonly lenient: boolean;
  readonly minimumShouldMatch?: string;
  /** Whether unquoted words match texts that begin with them (`bool_prefix`). */
  readonly prefix?: boolean;
  /** Time zone of dates. */
  readonly timeZone?: Input;
}

export const bindExpression = (
  expression: Expression,
  query: WrittenQuery,
  binding: Binding,
  minimum?: string,
): Predicate => {
  switch (expression.kind) {
    case 'all':
      return all;
    case 'exists':
      return bindExists({ kind: 'exists', field: expression.field, at: query.at }, binding);
    case 'leaf': {
      const everywhere = expression.field === undefined && (query.fields.length === 0 || query.fields.includes('*'));
      if (expression.leaf.kind === 'any' && everywhere) return all;
      const fields = expand(expression.field === undefined ? query.fields : [expression.field], query.at, binding);
      return or(bindLeaves(fields, expression.leaf, query, binding));
    }
    case 'bool': {
      if (expression.clauses.length === 0) return none;
      // This follows the written order, so that the first of several faults is reported.
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

const bindLeaves = (fields: readonly Field[], leaf: LuceneLeaf, query: WrittenQuery, binding: Binding): Predicate[] => {
  // A word that does not fit one field fits no other of the same type. Creating an error for each field would take most
  // of the time.
  const unfit = new Set<Field['kind']>();
  return fields.map((field) => {
    if (leaf.kind === 'term' && unfit.has(field.kind)) return none;
    const bound = leniently(query.lenient, () => bindLeaf(field, leaf, query, binding));
    if (bound === undefined) unfit.add(field.kind);
    return bound ?? none;
  });
};

const bindLeaf = (field: Field, leaf: LuceneLeaf, query: WrittenQuery, binding: Binding): Predicate => {
  const { at } = query;
  const input = (text: string) => new Input(new JsonString(at.node, text), at.path);
  const path = field.path;
  const inZone = query.timeZone ? { timeZone: query.timeZone } : {};
  switch (leaf.kind) {
    case 'any':
      return { kind: 'exists', field };
    case 'term':
      if (query.prefix && leaf.bare && field.kind === 'keyword')
        return matching(field, input(leaf.text), { lenient: false, prefix: true, at }, binding);
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
      const pattern = { kind: 'regexp', text: leaf.text, expression: parseRegexp(leaf.text, at) } as const;
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
