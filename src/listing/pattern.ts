import { invalid } from '#common/errors.js';
import { maxRegexpCost } from '#search/query/lucene/regexp-cost.js';
import { patternCost } from './pattern-cost.js';

/**
 * Checks the cost of a regular expression (PostgreSQL's advanced form).
 * @throws invalid (422) when it needs more than linear time or a large automaton: with back-references, or with
 * repetitions that multiply.
 */
export const requireCheapPattern = (pattern: string): void => {
  if (hasBackReference(pattern)) throw refused('must not have back-references');
  // The cost is counted for the usual syntax. The options b, e and q change which brackets and backslashes are special;
  // x and comments change what a repetition applies to.
  if (/^\(\?[a-z]*[beqx]/.test(pattern) || pattern.includes('(?#'))
    throw refused('must not have comments, nor the options b, e, q and x');
  if (patternCost(pattern) > maxRegexpCost)
    throw refused('is too expensive: nested repetitions such as (a?{50}){50} multiply; use a simpler pattern');
};

/**
 * Translates the escapes that PostgreSQL reads differently from other engines: there, `\\b` and `\\B` are a backspace
 * and a backslash, and `\\x` takes any number of digits. A bracket expression keeps its `\\b`, a backspace everywhere.
 * @throws invalid (422) for text that would silently have another meaning: `\\0` (no text contains NUL), `{,3}` (these
 * four characters in PostgreSQL), and `***` at the beginning, which changes how PostgreSQL reads the rest.
 */
export const toPostgresPattern = (pattern: string): string => {
  const [director] = /^\*\*\*[:=]?/.exec(pattern) ?? [];
  if (director !== undefined)
    throw refused(`must not begin with ${director}: leave it out, and write \\ before a character that means itself`);
  let translated = '';
  let isInBrackets = false;
  // A `]` in first position is literal, and a class such as `[:alpha:]` does not end a bracket expression.
  for (const [token] of pattern.matchAll(/\\x[\da-f]{2}|\\[^]|\{,\d+\}|\[\^?\]|\[[:.=][^\]]*\]|[^]/gi)) {
    isInBrackets = isInBrackets ? !/^(\[\^?)?\]$/.test(token) : /^\[(\^?\])?$/.test(token);
    if (!isInBrackets && token.startsWith('{,'))
      throw refused(`must not have ${token}: write {0${token.slice(1)} instead`);
    if (token === '\\0') throw refused('must not have \\0: no text holds this character');
    const meaning = isInBrackets ? undefined : meanings[token];
    translated += meaning ?? token.replace(/^\\x/i, '\\u00');
  }
  return translated;
};

/** Word boundaries in PostgreSQL's notation. */
const meanings: Readonly<Record<string, string>> = { '\\b': '\\y', '\\B': '\\Y' };

const refused = (message: string) => invalid([{ path: 'q', message }]);

const hasBackReference = (pattern: string): boolean => {
  for (let index = pattern.indexOf('\\'); index >= 0; index = pattern.indexOf('\\', index + 2)) {
    const next = pattern[index + 1] ?? '';
    if (next >= '1' && next <= '9') return true;
  }
  return false;
};
