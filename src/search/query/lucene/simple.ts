import { ClauseCount, maxNesting, nestsTooDeep } from './clause-count.js';
import type { Expression, LuceneLeaf, Occur, WrittenClause } from './expression.js';

/**
 * Parses Lucene's simple syntax, which accepts every text: `+` and, `|` or, `-` not, `"…"`, `word*`, parentheses.
 * Operators have equal precedence and bind from left to right.
 * @param flags active operators; undefined for all
 */
export const parseSimple = (text: string, and: boolean, flags?: ReadonlySet<string>): Expression =>
  parse(text, and ? 'must' : 'should', (flag) => flags === undefined || flags.has(flag));

type Has = (flag: string) => boolean;

const parse = (text: string, byDefault: Occur, has: Has, count = new ClauseCount(), depth = 0): Expression => {
  if (depth > maxNesting) throw nestsTooDeep(text);
  const closing = closings(text, has);
  let top: Expression | undefined;
  let operation: Occur | undefined;
  let previous: Occur | undefined;
  let clauses: WrittenClause[] = [];
  let negations = 0;
  const add = (found: Expression) => {
    count.add();
    const branch = negations % 2 === 1 ? opposite(found) : found;
    if (top === undefined) top = branch;
    else {
      const occur = operation ?? byDefault;
      if (previous !== occur) clauses = [{ occur, expression: top }];
      clauses.push({ occur, expression: branch });
      top = { kind: 'bool', clauses };
      previous = occur;
    }
    operation = undefined;
  };
  for (let index = 0; index < text.length; ) {
    const character = text[index]!;
    if (character === '-' && has('NOT')) {
      negations += 1;
      index += 1;
      continue;
    }
    if (character === '(' && has('PRECEDENCE')) {
      const end = closing.get(index);
      if (end !== undefined) add(parse(text.slice(index + 1, end), byDefault, has, count, depth + 1));
      index = end === undefined ? index + 1 : end + 1;
    } else if (character === '"' && has('PHRASE')) {
      const [found, body] = /^"((?:[^"\\]|\\.)*)"(?:~\d*)?/s.exec(text.slice(index)) ?? [];
      if (found !== undefined && body !== '') add(leaf({ kind: 'term', text: plain(body!) }));
      index += found?.length ?? 1;
    } else if (character === '+' && has('AND')) {
      if (top !== undefined) operation ??= 'must';
      index += 1;
    } else if (character === '|' && has('OR')) {
      if (top !== undefined) operation ??= 'should';
      index += 1;
    } else if ((/\s/.test(character) && has('WHITESPACE')) || (character === ')' && has('PRECEDENCE'))) index += 1;
    else {
      const end = endOfWord(text, index, has);
      add(word(text.slice(index, end), has));
      index = end;
    }
    negations = 0;
  }
  return top ?? { kind: 'bool', clauses: [] };
};

const leaf = (of: LuceneLeaf): Expression => ({ kind: 'leaf', leaf: of });

/** Negates an expression. `minimum_should_match` counts "all" as one clause, as in Lucene. */
const opposite = (expression: Expression): Expression => ({
  kind: 'bool',
  clauses: [
    { occur: 'mustNot', expression },
    { occur: 'should', expression: { kind: 'all' } },
  ],
});

/** Returns the end of a word, which depends on the active operators. */
const endOfWord = (text: string, start: number, has: Has): number => {
  const ends = `${has('AND') ? '+' : ''}${has('OR') ? '|' : ''}${has('PRECEDENCE') ? '()' : ''}${has('PHRASE') ? '"' : ''}`;
  const [blankEnds, escapes] = [has('WHITESPACE'), has('ESCAPE')];
  let end = start;
  while (end < text.length) {
    const character = text[end]!;
    if (escapes && character === '\\') end += 2;
    else if (ends.includes(character) || (blankEnds && /\s/.test(character))) break;
    else end += 1;
  }
  return Math.min(end, text.length);
};

const word = (text: string, has: Has): Expression => {
  const fuzzy = has('FUZZY') ? text.replace(/~\d*$/, '') : text;
  if (has('PREFIX') && /[^\\]\*$/.test(fuzzy)) return leaf({ kind: 'prefix', text: plain(fuzzy.slice(0, -1)) });
  if (fuzzy === '*' && has('PREFIX')) return { kind: 'all' };
  return leaf({ kind: 'term', text: plain(fuzzy) });
};

const plain = (text: string): string => text.replace(/\\([\s\S])/g, '$1');

/** Maps the position of each opening parenthesis to that of its closing one. */
const closings = (text: string, has: Has): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  const open: number[] = [];
  const escapes = has('ESCAPE');
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\' && escapes) index += 1;
    else if (text[index] === '(') open.push(index);
    else if (text[index] === ')') {
      const start = open.pop();
      if (start !== undefined) found.set(start, index);
    }
  }
  return found;
};
