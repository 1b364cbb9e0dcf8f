import { tooLarge } from '#common/errors.js';
import {
  JsonArray,
  JsonFault,
  JsonLiteral,
  type JsonMember,
  JsonNumber,
  JsonObject,
  JsonString,
  JsonSyntaxError,
  type LocatedJson,
  longestNumber,
  maxJsonDepth,
  nestsTooDeep,
  numberTooLong,
  type TextPosition,
  textAfterValue,
} from './json.js';

/**
 * Parses one JSON value. A value nested deeper than {@link maxJsonDepth}, and a number longer than {@link
 * longestNumber}, become a {@link JsonFault} in their place.
 * @throws JsonSyntaxError when the text is not JSON or continues after the value; tooLarge when it holds too many
 * values.
 */
export const parseJson = (text: string): LocatedJson => new Reader(text, 1, true).whole();

/**
 * Checks one JSON value as {@link parseJson} does, but keeps nothing, so that it takes no memory.
 * @throws JsonSyntaxError when the text is not JSON or continues after the value.
 */
export const checkJson = (text: string): void => void new Reader(text, 1, false).whole();

/**
 * Parses NDJSON, one value per line, and skips blank lines. Positions count the lines of the whole text. A line that is
 * not JSON becomes a {@link JsonFault} in its place.
 */
export const parseJsonLines = (text: string): JsonArray => {
  const lines = text.split('\n');
  const items = lines.flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1)]));
  return new JsonArray({ line: 1, col: 1 }, items, { line: lines.length, col: 1 });
};

const readLine = (line: string, number: number): LocatedJson => {
  try {
    return new Reader(line, number, true).whole();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return new JsonFault(error, error.message, error.isCutOff);
  }
};

const code = (char: string) => char.charCodeAt(0);
const [quote, backslash, comma, colon] = [code('"'), code('\\'), code(','), code(':')];
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')];
const [newline, carriage, tab, space] = [code('\n'), code('\r'), code('\t'), code(' ')];
const unicode = code('u');
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Literals by their first character. */
const literals = new Map<number, { word: string; value: boolean | null }>([
  [code('t'), { word: 'true', value: true }],
  [code('f'), { word: 'false', value: false }],
  [code('n'), { word: 'null', value: null }],
]);
/** Characters that may follow a backslash, besides `u`. */
const escapes = new Set([...'"\\/bfnrt'].map(code));
/** Matches a backslash or control character, in a sixth of the time of a loop. */
const special = /[^ -[\]-\uffff]/g;
const hexadecimal = /^[\da-f]{4}$/i;

const beginning: TextPosition = { line: 1, col: 1 };
/** Stands for every value of a text that is only checked: a node for each took most of the time. */
const checked = new JsonLiteral(beginning, null);

/**
 * Maximum number of values and keys that are read with positions, which takes far more time and memory than without. It
 * is above two full lists of terms.
 */
const mostValues = 150_000;

/**
 * A recursive descent parser. `index` is the next UTF-16 unit, `lineStart` the index at which the current line begins.
 */
class Reader {
  private index = 0;
  private lineStart = 0;
  private depth = 0;
  private values = 0;
  /** The last result of {@link specialFrom}. */
  private special = -1;

  constructor(
    private readonly text: string,
    private line: number,
    private readonly keep: boolean,
  ) {}

  whole(): LocatedJson {
    const value = this.value();
    if (this.skip() < this.text.length) this.fail(textAfterValue);
    return value;
  }

  private value(): LocatedJson {
    this.skip();
    this.count();
    const at = this.position();
    switch (this.text.charCodeAt(this.index)) {
      case openBrace:
        return this.object(at);
      case openBracket:
        return this.array(at);
      case quote:
        return this.textAt(at);
      default:
        return this.scalar(at);
    }
  }

  private textAt(at: TextPosition): LocatedJson {
    const text = this.string();
    return this.keep ? new JsonString(at, text) : checked;
  }

  private object(at: TextPosition): LocatedJson {
    if (this.depth === maxJsonDepth) return this.tooDeep(at);
    this.enter();
    const members: JsonMember[] = [];
    const seen = this.keep ? new Set<string>() : undefined;
    let repeated: JsonMember | undefined;
    for (let count = 0; !this.closes(closeBrace, count); count += 1) {
      const { line, col } = this.position();
      if (this.text.charCodeAt(this.index) !== quote) this.fail('Expected a key in double quotes');
      const key = this.string();
      this.skip();
      if (this.text.charCodeAt(this.index) !== colon) this.fail('Expected ":" after the key');
      this.index += 1;
      const value = this.value();
      if (!this.keep) continue;
      this.count();
      const member = { key, line, col, value };
      if (seen?.has(key)) repeated ??= member;
      seen?.add(key);
      members.push(member);
    }
    const end = this.leave();
    return this.keep ? new JsonObject(at, members, end, repeated) : checked;
  }

  private array(at: TextPosition): LocatedJson {
    if (this.depth === maxJsonDepth) return this.tooDeep(at);
    this.enter();
    const items: LocatedJson[] = [];
    for (let count = 0; !this.closes(closeBracket, count); count += 1) {
      const item = this.value();
      if (this.keep) items.push(item);
    }
    const end = this.leave();
    return this.keep ? new JsonArray(at, items, end) : checked;
  }

  /** Skips an object or array by its brackets, without descending. */
  private tooDeep(at: TextPosition): JsonFault {
    for (let open = 0; ; this.index += 1) {
      this.skip();
      const unit = this.text.charCodeAt(this.index);
      if (Number.isNaN(unit)) this.fail('The text ends inside an object or array');
      if (unit === openBrace || unit === openBracket) open += 1;
      if (unit === closeBrace || unit === closeBracket) open -= 1;
      if (open === 0) break;
      if (unit === quote) {
        this.string();
        this.index -= 1;
      }
    }
    this.index += 1;
    return new JsonFault(at, nestsTooDeep);
  }

  /** Counts one item that takes time: a value, a key, or a string with escapes. */
  private count(): void {
    this.values += 1;
    if (this.keep && this.values > mostValues)
      throw tooLarge(`A body with queries holds at most ${mostValues} values and keys.`);
  }

  private enter(): void {
    this.depth += 1;
    this.index += 1;
  }

  private leave(): TextPosition {
    const end = this.position();
    this.depth -= 1;
    this.index += 1;
    return end;
  }

  /** Whether the container ends here. Otherwise the comma is consumed, and the parser is at the next entry. */
  private closes(closing: number, count: number): boolean {
    this.skip();
    if (this.text.charCodeAt(this.index) === closing) return true;
    if (count === 0) return false;
    if (this.text.charCodeAt(this.index) !== comma) this.fail(`Expected "," or "${String.fromCharCode(closing)}"`);
    this.index += 1;
    this.skip();
    if (this.text.charCodeAt(this.index) === closing) this.fail('JSON must not have a trailing comma');
    return false;
  }

  /** Reads a string. Returns an empty string if nothing is kept. */
  private string(): string {
    const { text, index: start } = this;
    const end = text.indexOf('"', start + 1);
    if (end < 0 || end > this.specialFrom(start + 1)) return this.unescape();
    this.index = end + 1;
    return this.keep ? text.slice(start + 1, end) : '';
  }

  /** Returns the index of the next backslash or control character, or the length of the text. */
  private specialFrom(index: number): number {
    if (this.special >= index) return this.special;
    special.lastIndex = index;
    this.special = special.test(this.text) ? special.lastIndex - 1 : this.text.length;
    return this.special;
  }

  /** Reads a string that has escapes, or refuses one that is not JSON. */
  private unescape(): string {
    const { text, index: start } = this;
    let index = start + 1;
    let isWrong = false;
    for (let unit = text.charCodeAt(index); unit !== quote; unit = text.charCodeAt((index += 1))) {
      // No unit is at the end of the text, which compares as false.
      if (!(unit >= space)) {
        this.index = index;
        this.fail(
          Number.isNaN(unit) ? 'The text ends inside a string' : 'A control character inside a string must be escaped',
        );
      }
      if (unit !== backslash) continue;
      index += 1;
      const next = text.charCodeAt(index);
      if (next === unicode ? !hexadecimal.test(text.slice(index + 1, index + 5)) : !escapes.has(next)) isWrong = true;
    }
    this.count();
    if (isWrong) {
      this.index = start;
      this.fail('A string has an escape that JSON does not know');
    }
    this.index = index + 1;
    return this.keep ? (JSON.parse(text.slice(start, this.index)) as string) : '';
  }

  private scalar(at: TextPosition): LocatedJson {
    const { text, index } = this;
    const literal = literals.get(text.charCodeAt(index));
    if (literal !== undefined && text.startsWith(literal.word, index)) {
      this.index += literal.word.length;
      return this.keep ? new JsonLiteral(at, literal.value) : checked;
    }
    numberPattern.lastIndex = index;
    if (!numberPattern.test(text))
      return this.fail(index < text.length ? 'Expected a JSON value' : 'The text ends where a value should be');
    this.index = numberPattern.lastIndex;
    const length = this.index - index;
    if (length > longestNumber) return new JsonFault(at, numberTooLong);
    return this.keep ? new JsonNumber(at, text.slice(index, this.index)) : checked;
  }

  /** Skips blanks and counts lines. Returns the index of the next character. */
  private skip(): number {
    for (; ; this.index += 1) {
      const unit = this.text.charCodeAt(this.index);
      if (unit === newline) {
        this.line += 1;
        this.lineStart = this.index + 1;
      } else if (unit !== space && unit !== tab && unit !== carriage) return this.index;
    }
  }

  private position(): TextPosition {
    if (!this.keep) return beginning;
    return { line: this.line, col: this.index - this.lineStart + 1 };
  }

  private fail(message: string): never {
    throw new JsonSyntaxError(message, this.line, this.index - this.lineStart + 1, this.index >= this.text.length);
  }
}
