/**
 * JSON that knows where it stood: line and column of every key and value, the exact text of every number, and keys
 * that came twice (RFC 8259). `JSON.parse` forgets all three; queries and measured values need them.
 */

/** Where something starts, both from 1, columns in UTF-16 units. Line 0 means: it did not come as JSON text. */
export interface Position {
  readonly line: number;
  readonly col: number;
}

/** What all nodes share: their place. */
abstract class Node implements Position {
  constructor(
    readonly line: number,
    readonly col: number,
  ) {}
}

/** One key of an object with its value. The position is the key's. */
export interface JsonMember extends Position {
  readonly key: string;
  readonly value: LocatedJson;
}

/** An object. `end` is its closing brace; `repeated` is the first key that had come before, if any. */
export class JsonObject extends Node {
  readonly kind = 'object';
  constructor(
    at: Position,
    readonly members: readonly JsonMember[],
    readonly end: Position,
    readonly repeated?: JsonMember,
  ) {
    super(at.line, at.col);
  }

  /** The value of a key, the last one where it came twice; undefined where it did not come. */
  get(key: string): LocatedJson | undefined {
    return this.members.findLast((member) => member.key === key)?.value;
  }
}

/** An array. `end` is its closing bracket. */
export class JsonArray extends Node {
  readonly kind = 'array';
  constructor(
    at: Position,
    readonly items: readonly LocatedJson[],
    readonly end: Position,
  ) {
    super(at.line, at.col);
  }
}

/** A string, its escapes read. */
export class JsonString extends Node {
  readonly kind = 'string';
  constructor(
    at: Position,
    readonly text: string,
  ) {
    super(at.line, at.col);
  }
}

/** A number as it was written. */
export class JsonNumber extends Node {
  readonly kind = 'number';
  constructor(
    at: Position,
    readonly text: string,
  ) {
    super(at.line, at.col);
  }
}

/** `true`, `false` or `null`. */
export class JsonLiteral extends Node {
  readonly kind = 'literal';
  constructor(
    at: Position,
    readonly value: boolean | null,
  ) {
    super(at.line, at.col);
  }
}

/**
 * What stands where a value would that cannot be read, so that the others still count: a line of NDJSON that is not JSON, a
 * value that nests too deep, a number that is too long.
 */
export class JsonFault extends Node {
  readonly kind = 'fault';
  constructor(
    at: Position,
    readonly message: string,
    /** Whether the text ends before the value does. */
    readonly isCutOff = false,
  ) {
    super(at.line, at.col);
  }
}

/** JSON with positions and exact numbers. */
export type LocatedJson = JsonObject | JsonArray | JsonString | JsonNumber | JsonLiteral | JsonFault;

/** Plain JSON, as `JSON.stringify` takes it. */
export type PlainJson = null | boolean | number | string | PlainJson[] | { [key: string]: PlainJson };

/** Text that is not JSON, with the place where that shows. */
export class JsonSyntaxError extends Error implements Position {
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

/** How deep objects and arrays may nest. */
export const maxJsonDepth = 64;

/** How many characters a number may have. To compare and to convert one takes more than its length in time. */
export const longestNumber = 400;

/** Whether a value already is a node of this module. */
export const isLocated = (value: unknown): value is LocatedJson => value instanceof Node;

/**
 * Plain values as nodes, for what did not come as JSON text (a query string, a variable of GraphQL). What nests deeper than
 * {@link maxJsonDepth} becomes a {@link JsonFault} in its place.
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
 * A node as plain values. A number that a double would change (`1e400`), and every integer beyond 2^53 - 1, becomes
 * its decimal text. Of a repeated key the last value counts; `__proto__` is a key like any other.
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

/** Whether a number's text reads into a double and back without loss, and is no integer beyond 2^53 - 1. */
export const isExact = (text: string): boolean => {
  if (text.length <= 15 && !/[eE]/.test(text)) return true;
  if (text.length > longestNumber) return false;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value);
  // The usual case, and many times quicker than what follows.
  if (`${value}` === text) return true;
  return canonical(text) === canonical(`${value}`);
};

/** What is said of JSON that nests too deep. */
export const nestsTooDeep = `JSON may nest at most ${maxJsonDepth} deep`;

/** What is said of a number that is too long. */
export const numberTooLong = `A number may have at most ${longestNumber} characters`;

const nowhere: Position = { line: 0, col: 0 };

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

/** Sign, digits without zeros at either end, and the power of ten of the first digit. */
const canonical = (text: string): string => {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = `${whole}${fraction}`;
  const first = digits.search(/[1-9]/);
  if (first < 0) return '0';
  let last = digits.length;
  while (digits[last - 1] === '0') last -= 1;
  return `${sign}${digits.slice(first, last)}e${whole.length - first + Number(power)}`;
};

/** Of a longer text Node first makes room for three bytes a character; as bytes it is written in half the time. */
const longText = 16 * 1024;

/** A text as it is best written to a response. */
export const toBody = (text: string): string | Buffer => (text.length < longText ? text : Buffer.from(text));
