import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonObject, JsonSyntaxError, locate, maxJsonDepth, toPlain } from '#json/json.js';
import { parseJson, parseJsonLines } from '#json/reader.js';

const read = (text: string) => parseJson(text) as JsonObject;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const keepingBigIntegers = (_key: string, value: unknown) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && !`${value as number}`.includes('e')
    ? `${value as number}`
    : value;
const faultOf = (text: string) => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { line: error.line, col: error.col };
    throw error;
  }
  return undefined;
};

describe('parseJson', () => {
  it('parses what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(toPlain(parseJson(text))).toEqual(JSON.parse(text, keepingBigIntegers));
      }),
    );
  });

  it('rejects the same texts as JSON.parse', () => {
    const jsonLike = fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789.eE+- \n\t\\/ntrufalse\u0001') });
    fc.assert(
      fc.property(jsonLike, (text) => {
        const accepted = (parse: (text: string) => unknown) => {
          try {
            parse(text);
            return true;
          } catch (error) {
            expect([SyntaxError, JsonSyntaxError]).toContain((error as Error).constructor);
            return false;
          }
        };
        expect(accepted(parseJson)).toBe(accepted(JSON.parse));
      }),
      { numRuns: 2000 },
    );
  });

  it('records the position of every key and value', () => {
    const [first, second] = read('{ "a": 1,\n  "b": [true, "x"] }').members;
    expect(first).toMatchObject({ key: 'a', line: 1, col: 3, value: { line: 1, col: 8, text: '1' } });
    expect(second).toMatchObject({ key: 'b', line: 2, col: 3, value: { line: 2, col: 8, end: { line: 2, col: 18 } } });
  });

  it('keeps the exact text of a number', () => {
    expect(read('{"n":9007199254740993.10}').get('n')).toMatchObject({ text: '9007199254740993.10' });
  });

  it('reports a repeated key', () => {
    expect(read('{"a":1,"b":2,"a":3}').repeated).toMatchObject({ key: 'a', col: 14 });
    expect(read('{"a":{"b":1},"b":2}').repeated).toBeUndefined();
  });

  it.each([
    ['{"a":1,}', 1, 8],
    ['{"a"\n 1}', 2, 2],
    ['[1 2]', 1, 4],
    ['{"a":1} x', 1, 9],
    ['', 1, 1],
    ['"abc', 1, 5],
    ['01', 1, 2],
  ])('reports the position of the error in %j', (text, line, col) => {
    expect(faultOf(text)).toEqual({ line, col });
  });

  it('replaces a value that nests too deep by a fault, and reads its neighbours', () => {
    expect(JSON.stringify(parseJson(nested(maxJsonDepth)))).not.toContain('fault');
    const beside = read(`{"a":${nested(maxJsonDepth)},"b":1,"c":[{"d":"]}"}]}`);
    expect(JSON.stringify(beside.get('a'))).toContain(`"kind":"fault"`);
    expect(beside.members.slice(1)).toMatchObject([
      { key: 'b', value: { kind: 'number', text: '1' } },
      { key: 'c', value: { kind: 'array' } },
    ]);
    expect(() => toPlain(beside)).toThrow(JsonSyntaxError);
    expect(faultOf('['.repeat(1e6))).toEqual({ line: 1, col: 1e6 + 1 });
  });

  it('replaces a number of more than 400 digits by a fault with its position', () => {
    expect(read(`{"a":${'1'.repeat(400)}}`).get('a')).toMatchObject({ kind: 'number' });
    expect(read(`{"a":${'1'.repeat(401)},"b":2}`).members).toMatchObject([
      { value: { kind: 'fault', line: 1, col: 6 } },
      { value: { kind: 'number' } },
    ]);
  });
});

describe('parseJsonLines', () => {
  it('replaces a line that is not JSON by a fault, and reads the others', () => {
    const { items } = parseJsonLines('{"a":1}\n\nnope\n[2]\n');
    expect(items).toMatchObject([
      { kind: 'object', line: 1 },
      { kind: 'fault', line: 3, col: 1 },
      { kind: 'array', line: 4 },
    ]);
  });
});

describe('toPlain', () => {
  it.each([
    ['21.50', 21.5],
    ['1e3', 1000],
    ['0.1', 0.1],
    ['20.100000381469727', 20.100000381469727],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', '9007199254740992'],
    ['1e400', '1e400'],
    ['0.12345678901234567890', '0.12345678901234567890'],
    ['-0.0000000000000000', 0],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('converts %s to %j', (text, plain) => {
    expect(toPlain(parseJson(text))).toEqual(plain === 0 ? -0 : plain);
  });

  it('treats __proto__ as an ordinary key', () => {
    const plain = toPlain(parseJson('{"__proto__":{"x":1}}')) as object;
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(Object.keys(plain)).toEqual(['__proto__']);
  });
});

describe('locate', () => {
  it('converts plain values to nodes without a position, and leaves nodes unchanged', () => {
    const node = read('{"a":1}');
    expect(locate(node)).toBe(node);
    expect(locate({ a: [1, 'x', null, undefined, true] })).toMatchObject({ kind: 'object', line: 0 });
    expect(toPlain(locate({ a: [1, 'x', null, true], b: undefined }))).toEqual({ a: [1, 'x', null, true] });
  });
});
