import sql, { type Sql } from 'sql-template-tag';
import type { TextPattern, WildcardPart } from '#search/query/predicate.js';
import { postgresRegexp } from './postgres-regexp.js';

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();

/** Converts only the letters A to Z to lower case, as OpenSearch does. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** SQL condition that a whole text matches a pattern. */
export const patternCondition = (value: Sql, pattern: TextPattern, caseInsensitive: boolean): Sql => {
  const subject = caseInsensitive ? sql`translate(${value}, ${upper}::text, ${lower}::text)` : value;
  const folded = (text: string) => (caseInsensitive ? fold(text) : text);
  switch (pattern.kind) {
    case 'equal':
      return sql`${subject} = ${folded(pattern.text)}::text`;
    case 'prefix':
      return sql`starts_with(${subject}, ${folded(pattern.text)}::text)`;
    case 'wildcard':
      return sql`${subject} like ${pattern.parts.map((part) => likePart(part, folded)).join('')}::text`;
    case 'regexp':
      // The expression itself matches either case if requested.
      return sql`${value} ~ ${postgresRegexp(pattern.expression, caseInsensitive)}::text`;
  }
};

const likePart = (part: WildcardPart, folded: (text: string) => string): string => {
  if (part === '*') return '%';
  if (part === '?') return '_';
  return folded(part.text).replace(/[\\%_]/g, '\\$&');
};
