import { invalid } from '../errors.js';
import { maxRegexpCost } from '../search/query/lucene/regexp-cost.js';
import { patternCost } from './pattern-cost.js';

/**
 * Throws 422 for a regular expression (PostgreSQL's advanced form) that needs more than linear time or makes a large
 * automaton: one with back-references, or with repetitions that multiply one another.
 */
export const requireCheapPattern = (pattern: string): void => {
  if (hasBackReference(pattern)) throw refused('must not have back-references');
  // `b` changes what parentheses and braces mean, `e` and `q` what a backslash does, so that brackets end elsewhere; `x` and
  // comments change what a repetition follows.
  if (/^\(\?[a-z]*[beqx]/.test(pattern) || pattern.includes('(?#'))
    throw refused('must not have comments, nor the options b, e, q and x');
  if (patternCost(pattern) > maxRegexpCost)
    throw refused('is too expensive: nested repetitions such as (a?{50}){50} multiply; use a simpler pattern');
};

/**
 * Translates the escapes that PostgreSQL reads differently from other engines: `\\b` and `\\B` are a backspace and a
 * backslash there, and `\\x` takes any number of digits. A bracket expression keeps its `\\b`, a backspace everywhere.
 * @throws 422 for what would silently mean something else: `\\0` (no text holds NUL), `{,3}` (these four characters in
 *   PostgreSQL), and `***` at the beginning, which changes how PostgreSQL reads the rest
 */
export const toPostgresPattern = (pattern: string): string => {
  const [director] = /^\*\*\*[:=]?/.exec(pattern) ?? [];
  if (director !== undefined)
    throw refused(`must not begin with ${director}: leave it out, and write \\ before a character that means itself`);
  let translated = '';
  let isInBrackets = false;
  // A `]` that comes first is itself, and classes such as `[:alpha:]` do not end a bracket expression.
  for (const [token] of pattern.matchAll(/\\x[\da-f]{2}|\\[^]|\{,\d+\}|\[\^?\]|\[[:.=][^\]]*\]|[^]/gi)) {
    isInBrackets = isInBrackets ? !/^(\[\^?)?\]$/.test(token) : /^\[(\^?\])?$/.test(token);
    if (!isInBrackets && token.startsWith('{,'))
      throw refused(`must not have ${token}: write {0${token.slice(1)} for at most so many`);
    if (token === '\\0') throw refused('must not have \\0: no text holds this character');
    translated += isInBrackets ? token : (meanings[token] ?? token.replace(/^\\x/i, '\\u00'));
  }
  return translated;
};

/** Word boundaries, as PostgreSQL writes them. */
const meanings: Readonly<Record<string, string>> = { '\\b': '\\y', '\\B': '\\Y' };

const refused = (message: string) => invalid([{ path: 'q', message }]);

const hasBackReference = (pattern: string): boolean => {
  for (let index = pattern.indexOf('\\'); index >= 0; index = pattern.indexOf('\\', index + 2)) {
    const next = pattern[index + 1] ?? '';
    if (next >= '1' && next <= '9') return true;
  }
  return false;
};
