import { type ApiError, tooLarge } from '#common/errors.js';
import { isExact, longestNumber, maxJsonDepth, nestsTooDeep, numberTooLong } from './json.js';

/** A part of a JSON text that cannot be kept, and its place. */
export interface ScanFault {
  /** Index in the text. */
  readonly index: number;
  readonly message: string;
  /** Index of the item of the outermost array. */
  readonly item: number;
}

/**
 * A JSON text prepared for the engine's own parser. The scan does not check that it is JSON: a text that is not JSON
 * stays invalid.
 */
export interface ScannedJson {
  readonly text: string;
  /** Whether the text holds a number that a double would change. */
  readonly inexact: boolean;
  readonly faults: readonly ScanFault[];
  /** Indices in `text` of some commas of the outermost array of records, by which it can be parsed in slices. */
  readonly commas: readonly number[];
}

/**
 * Scans a JSON text once and replaces what the engine's parser would lose or must not get. A number that a double would
 * change becomes a string of its digits. A value nested deeper than {@link maxJsonDepth}, and a number of more than
 * {@link longestNumber} characters, become `null` and a fault.
 * @throws tooLarge when the text holds more containers, keys or inexact numbers than any legitimate body.
 * @param records whether the text is a record or an array of records. Their `ts` is left to be read as the nearest
 * double.
 */
export const scanJson = (text: string, records: boolean): ScannedJson => {
  const scan = new Scan(text, records);
  scan.goOn(text.length);
  return scan.end();
};

/** Scans in the same way, in steps. `pause` is awaited after each step and yields the event loop. */
export const scanJsonInSteps = async (
  text: string,
  records: boolean,
  pause: () => Promise<void>,
): Promise<ScannedJson> => {
  const scan = new Scan(text, records);
  for (let end = stepLength; scan.goOn(end); end += stepLength) await pause();
  return scan.end();
};

const code = (char: string) => char.charCodeAt(0);
const [quote, backslash, comma, colon, minus] = [code('"'), code('\\'), code(','), code(':'), code('-')];
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')];
const [dot, plus, zero, nine, small, large] = [code('.'), code('+'), code('0'), code('9'), code('e'), code('E')];
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Digits up to which a number is exact as a double, unless its exponent is large. */
const surelyExact = 15;

/**
 * Maximum number of objects and arrays. Ten thousand records have fewer; the limit bounds the time and memory of one
 * body.
 */
const mostContainers = 500_000;

/** Maximum number of numbers whose digits are kept, for the same reason. */
const mostInexact = 100_000;

/**
 * Maximum number of keys of one record, ten times what a record may have. Distinct keys take the engine a microsecond
 * each.
 */
const mostRecordKeys = 10_000;

/** Maximum number of keys of a body that is not a list of records. */
const mostKeys = 65_536;

/**
 * Approximate number of characters of records that are parsed together. With the smallest objects, parsing them takes a
 * millisecond.
 */
const sliceLength = 16 * 1024;

/**
 * Approximate number of characters per step of a scan. With numbers whose digits are kept, a step takes a millisecond.
 */
const stepLength = 4 * 1024;

/** Maximum number of faults: one for each record that a body may have. */
const mostFaults = 10_000;

const tooMany = (what: string, max: number): ApiError => tooLarge(`A body holds at most ${max} ${what}.`);

class Scan {
  private readonly pieces: string[] = [];
  /** Length of the text that the pieces cover. */
  private taken = 0;
  private readonly faults: ScanFault[] = [];
  private inexact = 0;
  private item = 0;
  /** State of the current item: its number of keys, its start, and the state of the scan before it. */
  private keys = 0;
  private itemStart = 0;
  private before = { pieces: 0, taken: 0, faults: 0, grown: 0 };
  /** Difference in length between the pieces and the text that they replace, in characters. */
  private grown = 0;
  private readonly commas: number[] = [];
  /** Bounds of the last string, quotes included. */
  private stringStart = 0;
  private stringEnd = 0;
  /** Position of the scan, its depth, and the number of objects and arrays so far. */
  private index = 0;
  private depth = 0;
  private containers = 0;
  /** Start of the value that is nested too deeply. */
  private deepStart = 0;
  /** Depth of a record's members; 0: the text holds no records. */
  private readonly recordDepth: number;

  constructor(
    private readonly text: string,
    records: boolean,
  ) {
    const start = text.search(/\S/);
    const isList = records && text[start] === '[';
    this.recordDepth = records ? (isList ? 2 : 1) : 0;
    this.itemStart = isList ? start + 1 : 0;
  }

  /**
   * Scans the text up to about an index.
   * @returns whether there is more text.
   */
  goOn(until: number): boolean {
    const { text } = this;
    const end = Math.min(until, text.length);
    let { index, depth, containers } = this;
    for (; index < end; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === quote) index = this.passString(index);
      else if (unit === colon) this.keys += 1;
      else if (unit === comma) {
        if (depth === 1) this.passItem(index);
      } else if (unit === openBrace || unit === openBracket) {
        depth += 1;
        containers += 1;
        if (containers > mostContainers) throw tooMany('objects and arrays', mostContainers);
        if (depth === maxJsonDepth + 1) this.deepStart = index;
      } else if (unit === closeBrace || unit === closeBracket) {
        if (depth === 1 && this.recordDepth === 2) this.endItem(index);
        if (depth === maxJsonDepth + 1) this.cut(this.deepStart, index + 1, nestsTooDeep);
        depth -= 1;
      } else if (unit === minus || (unit >= zero && unit <= nine)) index = this.passNumber(index, depth);
    }
    this.index = index;
    this.depth = depth;
    this.containers = containers;
    return index < text.length;
  }

  /** Returns the result, once the whole text was scanned. */
  end(): ScannedJson {
    const { text } = this;
    if (this.recordDepth < 2) this.endItem(text.length);
    const { pieces, inexact, faults, commas } = this;
    return {
      text: pieces.length === 0 ? text : pieces.join('') + text.slice(this.taken),
      inexact: inexact > 0,
      faults,
      commas,
    };
  }

  /** Handles a comma of the outermost array or object. */
  private passItem(index: number): void {
    if (this.recordDepth === 2) this.endItem(index);
    this.item += 1;
    if (this.recordDepth < 2) return;
    const place = index + this.grown;
    if (place - (this.commas.at(-1) ?? 0) >= sliceLength) this.commas.push(place);
    this.itemStart = index + 1;
    this.before = { pieces: this.pieces.length, taken: this.taken, faults: this.faults.length, grown: this.grown };
  }

  /** Ends an item, and replaces it when it has too many keys. */
  private endItem(end: number): void {
    const { keys, recordDepth, before } = this;
    this.keys = 0;
    if (recordDepth === 0 && keys > mostKeys) throw tooMany('keys', mostKeys);
    if (recordDepth === 0 || keys <= mostRecordKeys) return;
    this.pieces.length = before.pieces;
    this.faults.length = before.faults;
    this.taken = before.taken;
    this.grown = before.grown;
    this.cut(this.itemStart, end, `A record may have at most ${mostRecordKeys} keys`);
  }

  /** Returns the index of the quote that closes the string at `start`; the end of the text when there is none. */
  private passString(start: number): number {
    const { text } = this;
    this.stringStart = start;
    let end = text.indexOf('"', start + 1);
    while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.stringEnd = end < 0 ? text.length : end + 1;
    return this.stringEnd - 1;
  }

  /** Returns the index of the last character of the number at `start`. */
  private passNumber(start: number, depth: number): number {
    let end = start + 1;
    let exponent = 0;
    for (; end < this.text.length; end += 1) {
      const unit = this.text.charCodeAt(end);
      if (unit === small || unit === large) exponent = end;
      else if ((unit < zero || unit > nine) && unit !== dot && unit !== minus && unit !== plus) break;
    }
    // With a positive exponent of at most two digits, the number is far within the range of a double.
    if (end - start > surelyExact || (exponent > 0 && end - exponent > 3)) this.lookAtNumber(start, end, depth);
    return end - 1;
  }

  private lookAtNumber(start: number, end: number, depth: number): void {
    // A number inside a part that is cut out does not matter, and a number in the place of a key must not become a
    // string.
    if (depth > maxJsonDepth || this.isKey(end)) return;
    const number = this.text.slice(start, end);
    if (!numberPattern.test(number)) return;
    if (number.length > longestNumber) {
      this.cut(start, end, numberTooLong);
    } else if (!isExact(number)) {
      this.inexact += 1;
      if (this.inexact > mostInexact) throw tooMany('numbers that a double cannot hold', mostInexact);
      if (depth !== this.recordDepth || !this.isTs(start, number)) this.replace(start, end, `"${number}"`);
    }
  }

  private isKey(end: number): boolean {
    let index = end;
    while (isBlank(this.text.charCodeAt(index))) index += 1;
    return this.text[index] === ':';
  }

  /** Whether a number is the `ts` of a record, within the range of a double. */
  private isTs(start: number, number: string): boolean {
    if (!Number.isFinite(Number(number))) return false;
    const { text, stringStart, stringEnd } = this;
    if (text.slice(stringEnd, start).trim() !== ':') return false;
    const key = text.slice(stringStart, stringEnd);
    return key === '"ts"' || (key.includes('\\') && key.length <= longestTs && unescaped(key) === 'ts');
  }

  private replace(start: number, end: number, by: string): void {
    this.pieces.push(this.text.slice(this.taken, start), by);
    this.taken = end;
    this.grown += by.length - (end - start);
  }

  private cut(start: number, end: number, message: string): void {
    this.replace(start, end, 'null');
    // One fault refuses the whole record.
    if (this.recordDepth === 2 && this.faults.at(-1)?.item === this.item) return;
    this.faults.push({ index: start, message, item: this.item });
    if (this.faults.length > mostFaults) throw tooMany('values that nest too deep or are numbers too long', mostFaults);
  }
}

/** Whether the quote at an index is escaped: an odd number of backslashes precedes it. */
const isEscaped = (text: string, index: number): boolean => {
  let start = index;
  while (text.charCodeAt(start - 1) === backslash) start -= 1;
  return (index - start) % 2 === 1;
};

const isBlank = (unit: number) => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** Length of `"ts"` with every character escaped. */
const longestTs = 14;

const unescaped = (key: string): unknown => {
  try {
    return JSON.parse(key);
  } catch {
    return undefined;
  }
};
