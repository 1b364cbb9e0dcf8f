import { isExact, JsonFault, JsonSyntaxError, type LocatedJson, type PlainJson, toPlain } from './json.js';
import { maxJsonDepth, parseJson } from './json-reader.js';

/** What a line of NDJSON holds: a value, or that it is not JSON. */
export type PlainLine = PlainJson | JsonFault;

/**
 * Reads JSON to plain values as {@link toPlain} gives them: exact, or decimal text. Positions are not kept, which lets the
 * engine's own parser do it wherever no number could lose a digit: many times faster, and without a node for every value.
 * @throws JsonSyntaxError where the text is not JSON.
 */
export const parsePlain = (text: string): PlainJson => parseWith(toPlain, text);

/** The same of one record or an array of them: their `ts` is read as the nearest double, so that text stays known as text. */
export const parsePlainRecords = (text: string): PlainJson => parseWith(toPlainRecords, text);

const parseWith = (plain: (node: LocatedJson) => PlainJson, text: string): PlainJson => {
  if (hasInexact(text) || isTooDeep(text)) return plain(parseJson(text));
  try {
    return JSON.parse(text) as PlainJson;
  } catch {
    // Ours says where.
    return plain(parseJson(text));
  }
};

const toPlainRecords = (node: LocatedJson): PlainJson => {
  if (node.kind === 'array') return node.items.map(toPlainRecord);
  return toPlainRecord(node);
};

const toPlainRecord = (node: LocatedJson): PlainJson => {
  const plain = toPlain(node);
  const ts = node.kind === 'object' ? node.get('ts') : undefined;
  if (ts?.kind !== 'number' || !Number.isFinite(Number(ts.text))) return plain;
  return { ...(plain as { [key: string]: PlainJson }), ts: Number(ts.text) };
};

/** What `JSON.parse` changed, as {@link parsePlain} gives it. */
const exact = new WeakMap<object, PlainJson>();

/**
 * Keeps the digits that `JSON.parse` lost of a text, beside the objects and arrays that it made of it, for as long as those live.
 * @throws JsonSyntaxError where the text nests too deep.
 */
export const keepExact = (text: string, parsed: unknown): void => {
  if (hasInexact(text)) pair(parsed, toPlain(parseJson(text)));
};

/** A value with all the digits that were kept of it; itself where none were. */
export const exactOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (exact.get(value) ?? value) : value;

/** Both were made of one text, so they have the same keys. A `ts` beside them stays a number, as {@link parsePlainRecords} has it. */
const pair = (parsed: unknown, plain: PlainJson): void => {
  if (typeof parsed !== 'object' || parsed === null || typeof plain !== 'object' || plain === null) return;
  const inner = new Map(Object.entries(plain));
  for (const [key, value] of Object.entries(parsed)) pair(value, inner.get(key) ?? null);
  if (Array.isArray(parsed))
    exact.set(
      parsed,
      parsed.map((item, index) => recordOf(item, (plain as PlainJson[])[index]!)),
    );
  else exact.set(parsed, recordOf(parsed, plain));
};

const recordOf = (parsed: unknown, plain: PlainJson): PlainJson => {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return plain;
  const { ts } = parsed as { ts?: unknown };
  return typeof ts === 'number' && Number.isFinite(ts) ? { ...plain, ts } : plain;
};

/** Reads NDJSON of records, blank lines skipped; a line that is not JSON becomes a fault in its place. */
export const parsePlainLines = (text: string): PlainLine[] =>
  text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));

const parseLine = (text: string, line: number): PlainLine => {
  try {
    return parsePlainRecords(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return new JsonFault({ line, col: error.col }, error.message);
  }
};

/** A number long enough, or with an exponent, to be beyond a double. Inside strings it is found, too, which costs only time. */
const suspicious = /(?<![\w".])-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d+(?:\.\d+)?[eE][+-]?\d+)/g;

const hasInexact = (text: string): boolean => {
  suspicious.lastIndex = 0;
  for (let found = suspicious.exec(text); found; found = suspicious.exec(text)) if (!isExact(found[0])) return true;
  return false;
};

const code = (char: string) => char.charCodeAt(0);
const [quote, backslash, openBrace, closeBrace] = [code('"'), code('\\'), code('{'), code('}')];
const [openBracket, closeBracket] = [code('['), code(']')];

/** The engine's parser takes any depth; what walks the values does not. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === quote) index = endOfString(text, index);
    else if (unit === openBrace || unit === openBracket) {
      if (++depth > maxJsonDepth) return true;
    } else if (unit === closeBrace || unit === closeBracket) depth--;
  }
  return false;
};

/** Index of the quote that closes the string which opens here; the end of the text where none does. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
};
