import type { PlainJson } from '#json/json.js';
import type { PlainObject } from '#records/item.js';

/*
 * Forms of values that only exports of records write. The process that reads Parquet loads this file too, so it
 * imports only types.
 */

/** Key of the metadata of a Parquet file that lists, as JSON, the columns whose texts are JSON. */
export const jsonMark = 'ddp.json';

/** Whether a header is that of an export: records of other programs name no `device.serial`. */
export const isExportHeader = (names: readonly string[]): boolean =>
  names.some((name) => /^device\.(serial|id)$/i.test(name)) ||
  (names.includes('device') && !names.some((name) => /^(serial|deviceid)$/i.test(name)));

/** Returns the serial of a device that was exported as a whole, else the text itself. */
export const deviceIn = (text: string): string => {
  const device = jsonIn(text, JSON.parse);
  return isObject(device) && typeof device['serial'] === 'string' ? device['serial'] : text;
};

/** Parses the JSON list or object that a text consists of. Returns undefined for every other text. */
export const jsonIn = (text: string, parse: (text: string) => unknown): PlainJson | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parse(text) as PlainJson;
  } catch {
    return undefined;
  }
};

/** Key of the metadata of a Parquet file that lists, as JSON, the columns of text variables. */
export const textMark = 'ddp.text';

/**
 * Parses a list of scalars exactly as exports write it, which a text is not likely to be.
 * @param isText whether it is of a text variable, whose lists hold only texts
 */
export const listIn = (text: string, isText = false): PlainJson[] | undefined => {
  if (!text.startsWith('[')) return undefined;
  const list = jsonIn(text, JSON.parse);
  const isGood = (each: PlainJson) =>
    typeof each === 'string' || (!isText && (typeof each !== 'object' || each === null));
  const isList = Array.isArray(list) && list.every(isGood);
  return isList && JSON.stringify(list) === text ? list : undefined;
};

/** A record as a line or row holds it, before its fields are checked. */
export type RecordBody = PlainObject & { data: PlainObject; metadata: PlainObject };

/**
 * Puts a value at the path of a column. A path of one name is the whole object. Names in an export may contain dots, so a
 * path may lead into the value of another column; the value's key then keeps the dots.
 * @returns whether there was room for it
 */
export const putAtPath = (body: PlainObject, path: readonly string[], value: PlainJson, isExport = false): boolean => {
  const [root = '', ...keys] = path;
  if (keys.length === 0) {
    if (!isObject(value)) return false;
    if (!Object.hasOwn(body, root)) setKey(body, root, {});
    for (const [key, inner] of Object.entries(value)) setKey(body[root] as PlainObject, key, inner);
    return true;
  }
  let inner = body;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(inner, key)) setKey(inner, key, {});
    const next = inner[key]!;
    if (!isObject(next)) return isExport && place(inner, path.slice(depth).join('.'), value);
    inner = next;
  }
  return place(inner, path.at(-1)!, value);
};

const place = (object: PlainObject, key: string, value: PlainJson): boolean => {
  if (Object.hasOwn(object, key)) return false;
  setKey(object, key, value);
  return true;
};

/** Sets a key, even a special one such as `__proto__`. */
export const setKey = (object: PlainObject, key: string, value: PlainJson): void => {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
};

export const isObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
