import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonFault, JsonSyntaxError, toPlain } from '../../src/json.js';
import { parsePlain, parsePlainLines } from '../../src/json-plain.js';
import { parseJson } from '../../src/json-reader.js';

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.constantFrom('1e400', '9007199254740993', '0.1000000000000000055', '1.0e5', '12345678901234567890.5', '-0'),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    number,
    fc.string().map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'null', '{}', '[]'),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[ ${items.join(' , ')}]`),
    fc
      .array(fc.tuple(fc.string(), tie('json')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(',')}}`),
  ),
}));

describe('reading JSON to plain values', () => {
  it('gives what the reader with positions gives, to the last digit', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(parsePlain(text)).toEqual(toPlain(parseJson(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('says where a text is no JSON, and what nests too deep', () => {
    expect(() => parsePlain('{"a":\n }')).toThrow(JsonSyntaxError);
    expect(parsePlain(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveLength(1);
    expect(() => parsePlain(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow(JsonSyntaxError);
    expect(parsePlain(`"${'['.repeat(65)}\\"${'{'.repeat(65)}"`)).toHaveLength(132 - 1);
  });

  it('keeps the good lines of NDJSON beside the bad', () => {
    const lines = parsePlainLines('1\n\n{"a":1e400}\r\n{\n');
    expect(lines.slice(0, 2)).toEqual([1, { a: '1e400' }]);
    expect(lines[2]).toBeInstanceOf(JsonFault);
    expect(lines[2]).toMatchObject({ line: 4 });
  });
});
