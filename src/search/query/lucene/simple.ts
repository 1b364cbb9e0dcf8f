import type { Expression, Leaf, Occur, WrittenClause } from './expression.js';

/**
 * Parses Lucene's simple syntax, which takes every text: `+` and, `|` or, `-` not, `"…"`, `word*`, parentheses.
 * Operators bind alike, from left to right.
 * @param flags operators that are on; undefined for all.
 */
export const parseSimple = (text: string, and: boolean, flags?: ReadonlySet<string>): Expression =>
  parse(text, and ? 'must' : 'should', (flag) => flags === undefined || flags.has(flag));

type Has = (flag: string) => boolean;

const parse = (text: string, byDefault: Occur, has: Has): Expression => {
  let top: Expression | undefined;
  let operation: Occur | undefined;
  let previous: Occur | undefined;
  let negations = 0;
  const add = (found: Expression) => {
    const branch = negations % 2 === 1 ? opposite(found) : found;
    if (top === undefined) top = branch;
    else {
      const occur = operation ?? byDefault;
      const clauses: readonly WrittenClause[] =
        top.kind === 'bool' && previous === occur ? top.clauses : [{ occur, expression: top }];
      top = { kind: 'bool', clauses: [...clauses, { occur, expression: branch }] };
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
      const end = closing(text, index);
      if (end !== undefined) add(parse(text.slice(index + 1, end), byDefault, has));
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
      const [found] = token(has).exec(text.slice(index))!;
      add(word(found, has));
      index += found.length;
    }
    negations = 0;
  }
  return top ?? { kind: 'bool', clauses: [] };
};

const leaf = (of: Leaf): Expression => ({ kind: 'leaf', leaf: of });

const opposite = (expression: Expression): Expression => ({
  kind: 'bool',
  clauses: [{ occur: 'mustNot', expression }],
});

/** What ends a word depends on the operators that are on. */
const token = (has: Has): RegExp => {
  const ends = `${has('WHITESPACE') ? '\\s' : ''}${has('AND') ? '+' : ''}${has('OR') ? '|' : ''}${has('PRECEDENCE') ? '()' : ''}${has('PHRASE') ? '"' : ''}`;
  return new RegExp(has('ESCAPE') ? `^(?:\\\\[\\s\\S]|[^${ends}\\\\]|\\\\$)+` : `^[^${ends === '' ? '' : ends}]+`);
};

const word = (text: string, has: Has): Expression => {
  const fuzzy = has('FUZZY') ? text.replace(/~\d*$/, '') : text;
  if (has('PREFIX') && /[^\\]\*$/.test(fuzzy)) return leaf({ kind: 'prefix', text: plain(fuzzy.slice(0, -1)) });
  if (fuzzy === '*' && has('PREFIX')) return { kind: 'all' };
  return leaf({ kind: 'term', text: plain(fuzzy) });
};

const plain = (text: string): string => text.replace(/\\([\s\S])/g, '$1');

/** Where the parenthesis that opens at `start` closes. */
const closing = (text: string, start: number): number | undefined => {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '(') depth += 1;
    else if (text[index] === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
};
