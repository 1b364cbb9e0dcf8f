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
  type Position,
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
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const beginning: Position = { line: 1, col: 1 };

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
        return new JsonString(at, this.string());
      default:
        return this.scalar(at);
    }
  }

  private object(at: Position): LocatedJson {
    if (this.depth === maxJsonDepth) return this.tooDeep(at);
    this.enter();
    const members: JsonMember[] = [];
    const seen = new Set<string>();
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
      if (seen.has(key)) repeated ??= member;
      seen.add(key);
      members.push(member);
    }
    return new JsonObject(at, members, this.leave(), repeated);
  }

  private array(at: Position): LocatedJson {
    if (this.depth === maxJsonDepth) return this.tooDeep(at);
    this.enter();
    const items: LocatedJson[] = [];
    for (let count = 0; !this.closes(closeBracket, count); count += 1) {
      const item = this.value();
      if (this.keep) items.push(item);
    }
    return new JsonArray(at, items, this.leave());
  }

  /** Skips an object or array by its brackets, without descending. */
  private tooDeep(at: Position): JsonFault {
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

  private leave(): Position {
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
    if (this.text.charCodeAt(this.index) === closing) this.fail('A trailing comma is no JSON');
    return false;
  }

  private string(): string {
    const start = this.index;
    let escaped = false;
    for (this.index += 1; ; this.index += 1) {
      const unit = this.text.charCodeAt(this.index);
      if (unit === quote) break;
      if (Number.isNaN(unit)) this.fail('The text ends inside a string');
      if (unit < space) this.fail('A control character inside a string must be escaped');
      if (unit === backslash) {
        escaped = true;
        this.index += 1;
      }
    }
    this.index += 1;
    return escaped ? this.unescape(start) : this.text.slice(start + 1, this.index - 1);
  }

  private unescape(start: number): string {
    this.count();
    try {
      return JSON.parse(this.text.slice(start, this.index)) as string;
    } catch {
      this.index = start;
      return this.fail('A string has an escape that JSON does not know');
    }
  }

  private scalar(at: Position): LocatedJson {
    numberPattern.lastIndex = this.index;
    const number = numberPattern.exec(this.text)?.[0];
    if (number !== undefined) {
      this.index += number.length;
      return number.length > longestNumber ? new JsonFault(at, numberTooLong) : new JsonNumber(at, number);
    }
    for (const [word, value] of literals) {
      if (this.text.startsWith(word, this.index)) {
        this.index += word.length;
        return new JsonLiteral(at, value);
      }
    }
    return this.fail(this.index < this.text.length ? 'Expected a JSON value' : 'The text ends where a value should be');
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

  private position(): Position {
    if (!this.keep) return beginning;
    return { line: this.line, col: this.index - this.lineStart + 1 };
  }

  private fail(message: string): never {
    throw new JsonSyntaxError(message, this.line, this.index - this.lineStart + 1, this.index >= this.text.length);
  }
}
