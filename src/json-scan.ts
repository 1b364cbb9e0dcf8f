import { type ApiError, tooLarge } from './errors.js';
import { isExact, longestNumber, maxJsonDepth, nestsTooDeep, numberTooLong } from './json.js';

/** What of a JSON text cannot be kept, and where. */
export interface ScanFault {
  /** Index in the text. */
  readonly index: number;
  readonly message: string;
  /** Which item of the outermost array it is in. */
  readonly item: number;
}

/** A JSON text as the engine's own parser may read it. It may still not be JSON, and where it was none it is none now. */
export interface ScannedJson {
  readonly text: string;
  /** Whether the text holds a number that a double would change. */
  readonly inexact: boolean;
  readonly faults: readonly ScanFault[];
  /** Indices in `text` of some commas of the outermost array of records, so that it can be read in slices. */
  readonly commas: readonly number[];
}

/**
 * Looks once over a JSON text and replaces in it what the engine's parser would lose or should not be given: a number that a
 * double would change becomes its text, in quotes; what nests deeper than {@link maxJsonDepth} and a number of more than
 * {@link longestNumber} characters become `null`, and a fault.
 * @throws tooLarge where it holds more of what takes time than any that is meant.
 * @param records the text is a record or an array of them: their `ts` is left to be read as the nearest double.
 */
export const scanJson = (text: string, records: boolean): ScannedJson => {
  const scan = new Scan(text, records);
  scan.goOn(text.length);
  return scan.end();
};

/** The same, giving the event loop to others between steps: `pause` is awaited after each. */
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

/** A number of so many characters is exact as a double, save where its exponent is large. */
const surelyExact = 15;

/** More objects and arrays than ten thousand records have, so that one body takes little time and memory. */
const mostContainers = 500_000;

/** The same of numbers whose digits are kept. */
const mostInexact = 100_000;

/** Keys of one record: ten times as many as it may have. Keys that all differ take the engine a microsecond each. */
const mostRecordKeys = 10_000;

/** The same of a body that is no list of records. */
const mostKeys = 65_536;

/** Characters of records that are read at once, about: of the smallest objects that takes a millisecond. */
const sliceLength = 16 * 1024;

/** Characters that one step of a scan looks at, about: where they are numbers whose digits are kept that takes a millisecond. */
const stepLength = 4 * 1024;

/** More faults than anybody looks at. To say where each is takes far longer than to read what is right. */
export const mostFaults = 1000;

const tooMany = (what: string, max: number): ApiError => tooLarge(`A body holds at most ${max} ${what}.`);

class Scan {
  private readonly pieces: string[] = [];
  /** How much of the text is in the pieces. */
  private taken = 0;
  private readonly faults: ScanFault[] = [];
  private inexact = 0;
  private item = 0;
  /** Keys of the item that is being passed; where it began, and what there was before it. */
  private keys = 0;
  private itemStart = 0;
  private before = { pieces: 0, taken: 0, faults: 0, grown: 0 };
  /** How much longer the pieces are than what they stand for. */
  private grown = 0;
  private readonly commas: number[] = [];
  /** Where the last string began and ended, its quotes included. */
  private stringStart = 0;
  private stringEnd = 0;
  /** Where the scan is, how deep, and how many objects and arrays it has passed. */
  private index = 0;
  private depth = 0;
  private containers = 0;
  /** Where what nests too deep began. */
  private deepStart = 0;
  /** How deep the members of a record are; 0: there are none. */
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

  /** Looks at the text up to an index, about. @returns whether there is more. */
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

  /** What was found, once the whole text was looked at. */
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

  /** A comma of the outermost array or object. */
  private passItem(index: number): void {
    if (this.recordDepth === 2) this.endItem(index);
    this.item += 1;
    if (this.recordDepth < 2) return;
    const place = index + this.grown;
    if (place - (this.commas.at(-1) ?? 0) >= sliceLength) this.commas.push(place);
    this.itemStart = index + 1;
    this.before = { pieces: this.pieces.length, taken: this.taken, faults: this.faults.length, grown: this.grown };
  }

  /** Takes out an item with too many keys. */
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

  /** Index of the quote that closes the string which opens here; the end of the text where none does. */
  private passString(start: number): number {
    const { text } = this;
    this.stringStart = start;
    let end = text.indexOf('"', start + 1);
    while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.stringEnd = end < 0 ? text.length : end + 1;
    return this.stringEnd - 1;
  }

  /** Index of the last character of the number that begins here. */
  private passNumber(start: number, depth: number): number {
    let end = start + 1;
    let exponent = 0;
    for (; end < this.text.length; end += 1) {
      const unit = this.text.charCodeAt(end);
      if (unit === small || unit === large) exponent = end;
      else if ((unit < zero || unit > nine) && unit !== dot && unit !== minus && unit !== plus) break;
    }
    // A positive exponent of two digits, or one digit, keeps it far within what a double can hold.
    if (end - start > surelyExact || (exponent > 0 && end - exponent > 3)) this.lookAtNumber(start, end, depth);
    return end - 1;
  }

  private lookAtNumber(start: number, end: number, depth: number): void {
    // What is inside the part that is cut out is not looked at; and a number where a key belongs must not become one.
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

  /** Whether a number is the `ts` of a record, and has a double that is near it. */
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
    this.faults.push({ index: start, message, item: this.item });
    if (this.faults.length > mostFaults) throw tooMany('values that nest too deep or are numbers too long', mostFaults);
  }
}

/** Whether a backslash takes the meaning from the quote at an index: an odd number of them stands before it. */
const isEscaped = (text: string, index: number): boolean => {
  let start = index;
  while (text.charCodeAt(start - 1) === backslash) start -= 1;
  return (index - start) % 2 === 1;
};

const isBlank = (unit: number) => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** The length of `"ts"` where every character is an escape. */
const longestTs = 14;

const unescaped = (key: string): unknown => {
  try {
    return JSON.parse(key);
  } catch {
    return undefined;
  }
};
