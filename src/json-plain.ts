import { tooLarge } from './errors.js';
import { JsonFault, JsonSyntaxError, numberTooLong, type PlainJson, type Position } from './json.js';
import { checkJson } from './json-reader.js';
import { mostFaults, type ScanFault, type ScannedJson, scanJson, scanJsonInSteps } from './json-scan.js';
import { timeSlices } from './time-slice.js';

/** What a line of NDJSON, or an item of an array, holds: a value, or why it cannot be read. */
export type PlainLine = PlainJson | JsonFault;

/**
 * Reads JSON to plain values as `toPlain` of json.ts gives them: exact, or decimal text. Positions are not kept, which lets
 * the engine's own parser do it: many times faster, and without a node for every value.
 * @throws JsonSyntaxError where the text is not JSON, nests too deep or holds a number that is too long.
 */
export const parsePlain = (text: string): PlainJson => {
  const { text: scanned, faults } = scanJson(text, false);
  const value = parseScanned(scanned, text);
  if (faults[0]) throw syntaxError(faults[0], text);
  return value;
};

/**
 * The same of one record or an array of them: their `ts` is read as the nearest double, so that text stays known as text. An
 * item of an array that nests too deep, or holds a number that is too long, becomes a fault in its place.
 */
export const parsePlainRecords = (text: string): PlainLine | PlainLine[] => {
  const scanned = scanJson(text, true);
  return withFaults(parseScanned(scanned.text, text), scanned, text);
};

/**
 * The same of a large body, read in slices between which others have the event loop.
 * @param organizationId whose time slices it takes.
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
    // Nothing stands between two commas.
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

/** @param original what is read once more where the other is not JSON: the error says where. */
const parseScanned = (scanned: string, original: string): PlainJson => {
  try {
    return JSON.parse(scanned) as PlainJson;
  } catch {
    throw notJson(original);
  }
};

/** The error of a text that is not JSON, which says where. */
const notJson = (text: string): JsonSyntaxError => {
  checkJson(text);
  return new JsonSyntaxError('This is no JSON', 1, 1);
};

const syntaxError = ({ message, index }: ScanFault, text: string): JsonSyntaxError => {
  const { line, col } = places(text)(index);
  return new JsonSyntaxError(message, line, col);
};

/** Finds the places of indices that grow: each character is passed once. */
const places = (text: string): ((index: number) => Position) => {
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

/** What `JSON.parse` changed, as {@link parsePlain} gives it. */
const exact = new WeakMap<object, PlainJson>();

/**
 * Keeps the digits that `JSON.parse` lost of a text, beside the objects and arrays that it made of it, for as long as those live.
 * @throws JsonSyntaxError where the text holds a number that is too long, or digits to keep and what nests too deep.
 */
export const keepExact = (text: string, parsed: unknown): void => {
  const { text: scanned, inexact, faults } = scanJson(text, false);
  const fault = faults.find(({ message }) => inexact || message === numberTooLong);
  if (fault) throw syntaxError(fault, text);
  if (inexact) pair(parsed, JSON.parse(scanned) as PlainJson);
};

/** A value with all the digits that were kept of it; itself where none were. */
export const exactOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (exact.get(value) ?? value) : value;

/**
 * Both were made of one text, so they have the same keys. A `ts` beside them stays a number, as {@link parsePlainRecords} has it.
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
 * Reads NDJSON of records, blank lines skipped; a line that is not JSON becomes a fault in its place.
 * @throws tooLarge where more than {@link mostFaults} are not.
 * @param organizationId whose time slices it takes.
 * @param maxLines one line more than these is read, by which the caller knows that there are more; the rest is not.
 */
export const parsePlainLines = async (text: string, maxLines: number, organizationId: string): Promise<PlainLine[]> => {
  const lines: PlainLine[] = [];
  let [number, faults] = [1, 0];
  for (let index = 0; index < text.length && lines.length <= maxLines; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === newline) number += 1;
    if (unit <= space) continue;
    const end = text.indexOf('\n', index);
    // With the blanks before it, which columns count.
    const line = text.slice(text.lastIndexOf('\n', index) + 1, end < 0 ? undefined : end);
    const read = parseLine(line, number);
    if (read instanceof JsonFault) faults += 1;
    if (faults > mostFaults) throw tooLarge(`A body holds at most ${mostFaults} lines that are not JSON.`);
    lines.push(read);
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
