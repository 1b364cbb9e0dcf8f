import type { ClassItem, Regexp, RegexpNode } from '#search/query/lucene/regexp-node.js';

/**
 * Translates a regular expression of Lucene to an advanced one of PostgreSQL, anchored at both ends. If requested,
 * single letters A to Z match either case; other letters and ranges do not, as in OpenSearch.
 */
export const postgresRegexp = (regexp: Regexp, caseInsensitive: boolean): string => {
  const write = (node: RegexpNode) => written(node, caseInsensitive);
  const last = regexp.at(-1)!;
  const ahead = last.opposite ? regexp : regexp.slice(0, -1);
  const required = ahead.map(({ of, opposite }) => `(?${opposite ? '!' : '='}(?:${write(of)})$)`).join('');
  return last.opposite ? `^${required}.*$` : `^${required}(?:${write(last.of)})$`;
};

const written = (node: RegexpNode, caseInsensitive: boolean): string => {
  const write = (inner: RegexpNode) => written(inner, caseInsensitive);
  switch (node.kind) {
    case 'character':
      return caseInsensitive && isLetter(node.character) ? `[${eitherCase(node.character)}]` : escape(node.character);
    case 'any':
      return '.';
    case 'anything':
      return '(?:.*)';
    case 'nothing':
      return '(?!.*)';
    case 'class':
      return `[${node.negated ? '^' : ''}${node.items.map((item) => inClass(item, caseInsensitive)).join('')}]`;
    case 'interval':
      return interval(node);
    case 'repeat':
      return `(?:${write(node.of)})${quantifier(node)}`;
    case 'group':
      return `(?:${write(node.of)})`;
    case 'sequence':
      return node.of.map(write).join('');
    case 'union':
      return node.of.map(write).join('|');
  }
};

const quantifier = ({ min, max }: Extract<RegexpNode, { kind: 'repeat' }>): string => {
  if (max === undefined) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
};

const interval = ({ from, to, width }: Extract<RegexpNode, { kind: 'interval' }>): string => {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`.padStart(width, '0'));
  return `(?:${numbers.map((number) => (width === 0 ? `0*${number}` : number)).join('|')})`;
};

// PostgreSQL's own classes depend on the locale.
const classes = {
  d: '0-9',
  w: 'a-zA-Z0-9_',
  s: ' \\t\\n\\r',
  D: '\\u0001-/:-\\U0010ffff',
  W: '\\u0001-/:-@\\[-\\^`{-\\U0010ffff',
  S: '\\u0001-\\u0008\\u000b\\u000c\\u000e-\\u001f!-\\U0010ffff',
} as const;

const inClass = (item: ClassItem, caseInsensitive: boolean): string => {
  if ('class' in item) return classes[item.class];
  const { from, to } = item;
  if (from !== to) return `${escape(from)}-${escape(to)}`;
  return caseInsensitive && isLetter(from) ? eitherCase(from) : escape(from);
};

const isLetter = (character: string): boolean => /[A-Za-z]/.test(character);

const escape = (character: string): string =>
  /[A-Za-z0-9\u0080-\u{10ffff}]/u.test(character) ? character : `\\${character}`;

const eitherCase = (letter: string): string =>
  `${letter}${letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()}`;
