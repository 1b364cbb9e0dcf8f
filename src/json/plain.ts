import { parseWithoutStack } from '#common/error-without-stack.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { JsonFault, JsonSyntaxError, numberTooLong, type PlainJson, type TextPosition } from './json.js';
import { checkJson } from './reader.js';
import { type ScanFault, type ScannedJson, scanJson, scanJsonInSteps } from './scan.js';

/** The content of a line of NDJSON or of an array item: a value, or the reason why it cannot be read. */
export type PlainLine = PlainJson | JsonFault;

/**
 * Parses JSON into plain values as `toPlain` of json.ts returns them: exact, or as decimal text. Positions are not
 * kept, so the engine's own parser can be used, which is many times faster and creates no node for every value.
 * @throws JsonSyntaxError when the text is not JSON, is nested too deeply or holds a number that is too long.
 */
export const parsePlain = (text: string): PlainJson => {
  const { text: scanned, faults } = scanJson(text, false);
  const value = parseScanned(scanned, text);
  if (faults[0]) throw syntaxError(faults[0], text);
  return value;
};

/**
 * Parses one record or an array of records like {@link parsePlain}, except that a numeric `ts` always becomes a number,
 * the nearest double. A `ts` that is text was therefore sent as text. An array item that is nested too deeply, or holds
 * a number that is too long, becomes a fault in its place.
 */
export const parsePlainRecords = (text: string): PlainLine | PlainLine[] => {
  const scanned = scanJson(text, true);
  return withFaults(parseScanned(scanned.text, text), scanned, text);
};

/**
 * Parses a large body of records like {@link parsePlainRecords}, in slices that yield the event loop in between.
 * @param organizationId organization whose time slices pay for the parsing.
 */
export const parsePlainRecordsInSlices = async (
  text: string,
  organizationId: string,
): Promise<PlainLine | PlainLine[]> => {
  const pause = () => timeSlices.ifOver(organizationId);
  await pause();
  const scanned = await scanJsonInSteps(text, true, pause);
  const { text: whole, commas } = scanned;
  if (commas.length === 0) return withFaults(parseScanned(whole, text), scanned, text);
  const items: PlainJson[] = [];
  let start = whole.indexOf('[') + 1;
  for (const comma of [...commas, undefined]) {
    const slice = comma === undefined ? `[${whole.slice(start)}` : `[${whole.slice(start, comma)}]`;
    const some = parseScanned(slice, text);
    // There is no item between two commas.
    if (!Array.isArray(some) || some.length === 0) throw notJson(text);
    for (const item of some) items.push(item);
    start = (comma ?? 0) + 1;
    await pause();
  }
  return withFaults(items, scanned, text);
};

const withFaults = (
  value: PlainJson,
  { faults }: Pick<ScannedJson, 'faults'>,
  text: string,
): PlainLine | PlainLine[] => {
  const [first] = faults;
  if (first === undefined) return value;
  if (!Array.isArray(value)) throw syntaxError(first, text);
  const items: PlainLine[] = value;
  const placeOf = places(text);
  for (const { item, index, message } of faults) {
    if (!(items[item] instanceof JsonFault)) items[item] = new JsonFault(placeOf(index), message);
  }
  return items;
};

/**
 * Parses a scanned text.
 * @param original the text as it came, which is parsed again when the scanned text is not JSON, so that the error has
 * the right position.
 */
const parseScanned = (scanned: string, original: string): PlainJson => {
  try {
    return parseWithoutStack(scanned) as PlainJson;
  } catch {
    throw notJson(original);
  }
};

/** Returns the error for a text that is not JSON, with its position. */
const notJson = (text: string): JsonSyntaxError => {
  checkJson(text);
  return new JsonSyntaxError('This is not JSON', 1, 1);
};

const syntaxError = ({ message, index }: ScanFault, text: string): JsonSyntaxError => {
  const { line, col } = places(text)(index);
  return new JsonSyntaxError(message, line, col);
};

/** Creates a function that finds the positions of increasing indices. Each character is visited once. */
const places = (text: string): ((index: number) => TextPosition) => {
  let [line, start] = [1, 0];
  let next = text.indexOf('\n');
  return (index) => {
    for (; next >= 0 && next < index; next = text.indexOf('\n', start)) {
      line += 1;
      start = next + 1;
    }
    return { line, col: index - start + 1 };
  };
};

/** Values that `JSON.parse` changed, in the form that {@link parsePlain} returns. */
const exact = new WeakMap<object, PlainJson>();

/**
 * Keeps the digits that `JSON.parse` lost from a text. They are attached to the objects and arrays that it returned,
 * and live as long as those.
 * @throws JsonSyntaxError when the text holds a number that is too long, or both digits to keep and a value that is
 * nested too deeply.
 */
export const keepExact = (text: string, parsed: unknown): void => {
  const { text: scanned, inexact, faults } = scanJson(text, false);
  const fault = faults.find(({ message }) => inexact || message === numberTooLong);
  if (fault) throw syntaxError(fault, text);
  if (inexact) pair(parsed, JSON.parse(scanned) as PlainJson);
};

/** Returns a value with all the digits that were kept for it; the value itself when none were. */
export const exactOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (exact.get(value) ?? value) : value;

/**
 * Compares two values that were parsed from one text and so have the same keys. A record's `ts` stays a number, as in
 * {@link parsePlainRecords}.
 * @returns whether they differ.
 */
const pair = (parsed: unknown, plain: PlainJson): boolean => {
  if (typeof parsed !== 'object' || parsed === null || typeof plain !== 'object' || plain === null)
    return parsed !== plain;
  let differ = false;
  if (Array.isArray(parsed) && Array.isArray(plain)) {
    for (let index = 0; index < plain.length; index += 1) differ = pair(parsed[index], plain[index]!) || differ;
    if (differ)
      exact.set(
        parsed,
        parsed.map((item, index) => recordOf(item, plain[index]!)),
      );
    return differ;
  }
  const [before, after] = [parsed as { [key: string]: unknown }, plain as { [key: string]: PlainJson }];
  for (const key of Object.keys(after)) differ = pair(before[key], after[key]!) || differ;
  if (differ) exact.set(parsed, recordOf(parsed, plain));
  return differ;
};

const recordOf = (parsed: unknown, plain: PlainJson): PlainJson => {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return plain;
  const { ts } = parsed as { ts?: unknown };
  return typeof ts === 'number' && Number.isFinite(ts) ? { ...plain, ts } : plain;
};

/**
 * Parses NDJSON of records and skips blank lines. A line that is not JSON becomes a fault in its place.
 * @param organizationId organization whose time slices pay for the parsing.
 * @param maxLines number of lines that are read; one further line is read too, by which the caller notices that there
 * are more.
 */
export const parsePlainLines = async (text: string, maxLines: number, organizationId: string): Promise<PlainLine[]> => {
  const lines: PlainLine[] = [];
  let number = 1;
  for (let index = 0; index < text.length && lines.length <= maxLines; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === newline) number += 1;
    if (unit <= space) continue;
    const end = text.indexOf('\n', index);
    // Includes the blanks before the value, as columns count them.
    const line = text.slice(text.lastIndexOf('\n', index) + 1, end < 0 ? undefined : end);
    lines.push(parseLine(line, number));
    if (timeSlices.isOver(organizationId)) await timeSlices.next(organizationId);
    if (end < 0) break;
    index = end - 1;
  }
  return lines;
};

const [newline, space] = [0x0a, 0x20];

const parseLine = (text: string, line: number): PlainLine => {
  try {
    return parsePlainRecords(text) as PlainLine;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return new JsonFault({ line, col: error.col }, error.message);
  }
};
