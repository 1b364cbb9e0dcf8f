/**
 * Kind of a leaf that is cut out of a JSON text: `#` a number that its double restores, `%` any other number, kept as
 * text, `$` a text, `?` a boolean. `null` stays in the shape.
 */
export type LeafKind = '#' | '%' | '$' | '?';

/** Value of a leaf. A boolean is 0 or 1. */
export type LeafValue = number | string;

/** A leaf of a shape. */
export interface JsonLeaf {
  kind: LeafKind;
  /** Number of decimals of a number that ends with needless zeros (21.50), else 0. */
  decimals: number;
  /** Keys from the root, such as `gateways[0].rssi`; elements other than the first of lists are `gateways[].rssi`. */
  path: string;
  /** Whether a record has at most one value at the path. */
  isSingle: boolean;
}

/** A JSON text without its leaves. */
export interface JsonShape {
  /** The JSON text with a {@link LeafKind} in place of each leaf. `#2` is a number with two decimals. */
  text: string;
  /** The text around the leaves: one piece more than leaves. */
  pieces: string[];
  leaves: JsonLeaf[];
}

const [quote, colon, minus, zero, nine] = [...'":-09'].map((character) => character.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];
const [lowerT, lowerF, point, backslash] = [...'tf.\\'].map((character) => character.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];

/**
 * Cuts the leaves out of a text of `jsonb`.
 * @param values receives the values of the leaves
 * @returns the text of the shape
 */
export const cutLeaves = (text: string, values: LeafValue[]): string => {
  let [shape, from, at] = ['', 0, 0];
  while (at < text.length) {
    const code = text.charCodeAt(at);
    let leaf: CutLeaf;
    if (code === quote) {
      const end = textEnd(text, at);
      if (text.charCodeAt(end) === colon) {
        at = end;
        continue;
      }
      leaf = { mark: '$', value: unquote(text, at, end), end };
    } else if (code === minus || (code >= zero && code <= nine)) {
      leaf = numberAt(text, at);
    } else if (code === lowerT || code === lowerF) {
      leaf = { mark: '?', value: Number(code === lowerT), end: at + (code === lowerT ? 4 : 5) };
    } else {
      at++;
      continue;
    }
    shape += text.slice(from, at) + leaf.mark;
    values.push(leaf.value);
    from = at = leaf.end;
  }
  return shape + text.slice(from);
};

/** A leaf at a place of a text. */
interface CutLeaf {
  /** Text in the shape. */
  mark: string;
  value: LeafValue;
  /** Index after the leaf. */
  end: number;
}

/**
 * Cuts out the leaves of a text that may have the shape.
 * @param values receives the values of the leaves
 * @returns false if the text has another shape; `values` then holds some values
 */
export const cutAlong = ({ pieces, leaves }: JsonShape, text: string, values: LeafValue[]): boolean => {
  let at = 0;
  for (const [index, { kind, decimals }] of leaves.entries()) {
    const piece = pieces[index]!;
    if (!text.startsWith(piece, at)) return false;
    at += piece.length;
    const code = text.charCodeAt(at);
    if (kind === '$') {
      if (code !== quote) return false;
      const end = textEnd(text, at);
      values.push(unquote(text, at, end));
      at = end;
    } else if (kind === '?') {
      if (code !== lowerT && code !== lowerF) return false;
      values.push(Number(code === lowerT));
      at += code === lowerT ? 4 : 5;
    } else {
      if (code !== minus && (code < zero || code > nine)) return false;
      const leaf = numberAt(text, at);
      if (leaf.mark !== markOf(kind, decimals)) return false;
      values.push(leaf.value);
      at = leaf.end;
    }
  }
  const last = pieces.at(-1)!;
  return text.length - at === last.length && text.endsWith(last);
};

/** Returns the index after the text literal that begins at an index. */
const textEnd = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end + 1;
  }
};

const unquote = (text: string, start: number, end: number): string => {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
};

const numberAt = (text: string, start: number): CutLeaf => {
  let end = start + 1;
  for (let code = text.charCodeAt(end); (code >= zero && code <= nine) || code === point; code = text.charCodeAt(end))
    end++;
  const numeral = text.slice(start, end);
  const value = Number(numeral);
  if (plain(value) === numeral) return { mark: '#', value, end };
  const decimals = end - start - numeral.indexOf('.') - 1;
  return numeral.includes('.') &&
    numeral.length <= mostDigits &&
    decimals <= mostDecimals &&
    value.toFixed(decimals) === numeral
    ? { mark: `#${decimals}`, value, end }
    : { mark: '%', value: numeral, end };
};

/** Maximum length of a number with decimals. SQL restores its text from the double, which has 15 digits. */
const mostDigits = 16;

/** Maximum number of decimals that a mark can say with one digit. */
const mostDecimals = 9;

const markOf = (kind: LeafKind, decimals: number): string => (decimals === 0 ? kind : kind + decimals);

/** Writes a double with the fewest digits that restore it, without an exponent, as `jsonb` does. */
const plain = (value: number): string => {
  const text = String(value);
  const e = text.indexOf('e');
  if (e < 0) return text;
  const exponent = Number(text.slice(e + 1));
  const sign = value < 0 ? '-' : '';
  const [whole, fraction = ''] = text.slice(sign.length, e).split('.') as [string, string?];
  return exponent < 0
    ? `${sign}0.${'0'.repeat(-exponent - 1)}${whole}${fraction}`
    : sign + whole + fraction.padEnd(exponent, '0');
};

/** Writes the value of a leaf as `jsonb` does. */
export const leafText = ({ kind, decimals }: Pick<JsonLeaf, 'kind' | 'decimals'>, value: LeafValue): string => {
  if (kind === '%') return value as string;
  if (kind === '$') return JSON.stringify(value);
  if (kind === '?') return value === 1 ? 'true' : 'false';
  return decimals > 0 ? (value as number).toFixed(decimals) : plain(value as number);
};

/** Reads the text of a shape. */
export const parseShape = (text: string): JsonShape => {
  const pieces: string[] = [];
  const leaves: JsonLeaf[] = [];
  const places: PathStep[] = [];
  let [from, at] = [0, 0];
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') {
      const end = textEnd(text, at);
      places.at(-1)!.key = text.slice(at, end);
      at = end;
    } else if (isKind(character)) {
      pieces.push(text.slice(from, at));
      const digit = /^[1-9]/.exec(text.slice(at + 1, at + 2))?.[0] ?? '';
      leaves.push({ kind: character, decimals: Number(digit), ...pathOf(places) });
      from = at += 1 + digit.length;
    } else {
      if (character === '{') places.push({ key: '', index: -1 });
      else if (character === '[') places.push({ key: '', index: 0 });
      else if (character === '}' || character === ']') places.pop();
      else if (character === ',' && places.at(-1)!.index >= 0) places.at(-1)!.index++;
      at++;
    }
  }
  return { text, pieces: [...pieces, text.slice(from)], leaves };
};

/** Step into an object, by its key in quotes, or into a list, by its index; -1 in an object. */
interface PathStep {
  key: string;
  index: number;
}

const kinds = new Set('#%$?');
const isKind = (character: string): character is LeafKind => kinds.has(character);

/** A key that needs no quotes in a path. */
const simpleKey = /^"[^."[\]\\]+"$/;

/** Returns the path to a value under keys of objects. */
export const pathOfKeys = (keys: readonly string[]): string => keys.map((key) => stepOf(JSON.stringify(key))).join('');

/** Returns the step of a path into an object, by its key in quotes. */
const stepOf = (key: string): string => `.${simpleKey.test(key) ? key.slice(1, -1) : key}`;

const pathOf = (places: readonly PathStep[]): { path: string; isSingle: boolean } => {
  const isSingle = places.every(({ index }) => index <= 0);
  const element = isSingle ? '[0]' : '[]';
  const path = places.map(({ key, index }) => (index >= 0 ? element : stepOf(key))).join('');
  return { path, isSingle };
};
