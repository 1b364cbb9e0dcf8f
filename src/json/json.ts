import { ErrorWithoutStack } from '#common/error-without-stack.js';

/**
 * JSON with positions: line and column of every key and value, the exact text of every number, and repeated keys (RFC
 * 8259). `JSON.parse` loses all three, but queries and measured values need them.
 */

/**
 * Position where something starts. Line and column count from 1, columns in UTF-16 units. Line 0 means that it did not
 * come from JSON text.
 */
export interface TextPosition {
  readonly line: number;
  readonly col: number;
}

/** Common part of all nodes: their position. */
abstract class Node implements TextPosition {
  constructor(
    readonly line: number,
    readonly col: number,
  ) {}
}

/** A key of an object with its value. The position is that of the key. */
export interface JsonMember extends TextPosition {
  readonly key: string;
  readonly value: LocatedJson;
}

/** An object. `end` is the position of its closing brace; `repeated` is the first key that occurs again, if any. */
export class JsonObject extends Node {
  readonly kind = 'object';
  constructor(
    at: TextPosition,
    readonly members: readonly JsonMember[],
    readonly end: TextPosition,
    readonly repeated?: JsonMember,
  ) {
    super(at.line, at.col);
  }

  /** Returns the value of a key, the last one when the key is repeated; undefined when the key is absent. */
  get(key: string): LocatedJson | undefined {
    return this.members.findLast((member) => member.key === key)?.value;
  }
}

/** An array. `end` is the position of its closing bracket. */
export class JsonArray extends Node {
  readonly kind = 'array';
  constructor(
    at: TextPosition,
    readonly items: readonly LocatedJson[],
    readonly end: TextPosition,
  ) {
    super(at.line, at.col);
  }
}

/** A string with its escapes decoded. */
export class JsonString extends Node {
  readonly kind = 'string';
  constructor(
    at: TextPosition,
    readonly text: string,
  ) {
    super(at.line, at.col);
  }
}

/** A number in its original spelling. */
export class JsonNumber extends Node {
  readonly kind = 'number';
  constructor(
    at: TextPosition,
    readonly text: string,
  ) {
    super(at.line, at.col);
  }
}

/** `true`, `false` or `null`. */
export class JsonLiteral extends Node {
  readonly kind = 'literal';
  constructor(
    at: TextPosition,
    readonly value: boolean | null,
  ) {
    super(at.line, at.col);
  }
}

/**
 * Replaces a value that cannot be read, so that the other values remain usable: a line of NDJSON that is not JSON, a
 * value nested too deeply, a number that is too long.
 */
export class JsonFault extends Node {
  readonly kind = 'fault';
  constructor(
    at: TextPosition,
    readonly message: string,
    /** Whether the text ends before the value does. */
    readonly isCutOff = false,
  ) {
    super(at.line, at.col);
  }
}

/** JSON with positions and exact numbers. */
export type LocatedJson = JsonObject | JsonArray | JsonString | JsonNumber | JsonLiteral | JsonFault;

/** Plain JSON, as `JSON.stringify` accepts it. */
export type PlainJson = null | boolean | number | string | PlainJson[] | { [key: string]: PlainJson };

/** An error for text that is not JSON, with its position. */
export class JsonSyntaxError extends ErrorWithoutStack implements TextPosition {
  constructor(
    message: string,
    readonly line: number,
    readonly col: number,
    /** Whether the text ends before the value does. */
    readonly isCutOff = false,
  ) {
    super(message);
    this.name = 'JsonSyntaxError';
  }
}

/** Maximum depth of nested objects and arrays. */
export const maxJsonDepth = 64;

/** Maximum number of characters of a number. The time to compare and convert a number grows faster than its length. */
export const longestNumber = 400;

/** Whether a value is already a node of this module. */
export const isLocated = (value: unknown): value is LocatedJson => value instanceof Node;

/**
 * Converts plain values that did not come as JSON text (a query string, a GraphQL variable) to nodes. A value nested
 * deeper than {@link maxJsonDepth} becomes a {@link JsonFault} in its place.
 */
export const locate = (value: unknown): LocatedJson => locateAt(value, 0);

const locateAt = (value: unknown, depth: number): LocatedJson => {
  if (isLocated(value)) return value;
  switch (typeof value) {
    case 'string':
      return new JsonString(nowhere, value);
    case 'number':
    case 'bigint':
      return Number.isFinite(Number(value)) ? new JsonNumber(nowhere, `${value}`) : new JsonLiteral(nowhere, null);
    case 'boolean':
      return new JsonLiteral(nowhere, value);
    case 'object':
      return value === null ? new JsonLiteral(nowhere, null) : locateInside(value, depth);
    default:
      return new JsonLiteral(nowhere, null);
  }
};

/**
 * Converts a node to plain values. A number that a double would change (`1e400`), and every integer beyond 2^53 - 1,
 * becomes its decimal text. The last value of a repeated key counts; `__proto__` is a key like any other.
 * @throws JsonSyntaxError at a {@link JsonFault}.
 */
export const toPlain = (node: LocatedJson): PlainJson => {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map((member) => [member.key, toPlain(member.value)]));
    case 'array':
      return node.items.map(toPlain);
    case 'string':
      return node.text;
    case 'number':
      return isExact(node.text) ? Number(node.text) : node.text;
    case 'literal':
      return node.value;
    case 'fault':
      throw new JsonSyntaxError(node.message, node.line, node.col);
  }
};

/** Whether a number survives conversion to a double and back, and is not an integer beyond 2^53 - 1. */
export const isExact = (text: string): boolean => {
  if (text.length <= 15 && !/[eE]/.test(text)) return true;
  if (text.length > longestNumber) return false;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value);
  // The common case, many times faster than the comparison below.
  if (`${value}` === text) return true;
  return canonical(text) === canonical(`${value}`);
};

/** Error message for JSON that is nested too deeply. */
export const nestsTooDeep = `JSON may nest at most ${maxJsonDepth} deep`;

/** Error message for a number that is too long. */
export const numberTooLong = `A number may have at most ${longestNumber} characters`;

/** Message of the error for a text that continues after its value, such as lines of JSON. */
export const textAfterValue = 'Unexpected text after the JSON value';

const nowhere: TextPosition = { line: 0, col: 0 };

const locateInside = (value: object, depth: number): LocatedJson => {
  if (depth === maxJsonDepth) return new JsonFault(nowhere, nestsTooDeep);
  if (Array.isArray(value)) {
    const items = value.map((inner) => locateAt(inner, depth + 1));
    return new JsonArray(nowhere, items, nowhere);
  }
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => ({ key, ...nowhere, value: locateAt(inner, depth + 1) }));
  return new JsonObject(nowhere, members, nowhere);
};

/** Returns sign, digits without zeros at either end, and the power of ten of the first digit. */
const canonical = (text: string): string => {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = `${whole}${fraction}`;
  const first = digits.search(/[1-9]/);
  if (first < 0) return '0';
  let last = digits.length;
  while (digits[last - 1] === '0') last -= 1;
  return `${sign}${digits.slice(first, last)}e${whole.length - first + Number(power)}`;
};

/**
 * Length from which a text is written as bytes. For a longer text, Node first allocates three bytes per character;
 * writing it as bytes takes half the time.
 */
const longText = 16 * 1024;

/** Returns the form of a text that is fastest to write to a response. */
export const toBody = (text: string): string | Buffer => (text.length < longText ? text : Buffer.from(text));
