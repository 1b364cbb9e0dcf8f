import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonFault, JsonSyntaxError, toPlain } from '#json/json.js';
import {
  type PlainLine,
  parsePlain,
  parsePlainLines,
  parsePlainRecords,
  parsePlainRecordsInSlices,
} from '#json/plain.js';
import { parseJson } from '#json/reader.js';

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

describe('parsePlain', () => {
  it('returns the same values as parseJson, to the last digit', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(parsePlain(text)).toEqual(toPlain(parseJson(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('throws for invalid JSON and for values that nest too deep', () => {
    expect(() => parsePlain('{"a":\n }')).toThrow(JsonSyntaxError);
    expect(parsePlain(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveLength(1);
    expect(() => parsePlain(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow(JsonSyntaxError);
    expect(parsePlain(`"${'['.repeat(65)}\\"${'{'.repeat(65)}"`)).toHaveLength(132 - 1);
  });

  it('keeps the valid lines of NDJSON and returns a fault for each invalid one', async () => {
    const lines = await parsePlainLines('1\n\n{"a":1e400}\r\n{\n', 10, 'organization');
    expect(lines.slice(0, 2)).toEqual([1, { a: '1e400' }]);
    expect(lines[2]).toBeInstanceOf(JsonFault);
    expect(lines[2]).toMatchObject({ line: 4 });
  });

  it('reads one line of NDJSON more than the limit, and no further', async () => {
    expect(await parsePlainLines('1\n\n2\n3\n4\n', 2, 'organization')).toEqual([1, 2, 3]);
  });

  it.each([
    ['no text', '[1e400 1]'],
    ['a key that is a number', '{1e400: 1}'],
    ['a number with two exponents', '[1e400e1]'],
    ['a number that goes on in quotes', '[1e400"a"]'],
    ['a number after a sign', '[+1e400]'],
    ['a number that begins with zero', '[00000000000000000001]'],
    ['an end inside a value that nests too deep', '['.repeat(100)],
    ['an end inside a string', '["1e400'],
  ])('throws for invalid JSON: %s', (_, text) => {
    expect(() => parsePlain(text)).toThrow(JsonSyntaxError);
    expect(() => parsePlainRecords(text)).toThrow(JsonSyntaxError);
  });

  it("reads only a record's ts as the nearest double", () => {
    const ts = '1700000000.12345678901234567890';
    const record = `{"ts": ${ts}, "data": {"ts": ${ts}, "text": "ts"}}`;
    const read = { ts: Number(ts), data: { ts, text: 'ts' } };
    expect(parsePlainRecords(record)).toEqual(read);
    expect(parsePlainRecords(` [${record}, ${record.replace('"ts"', '"\\u0074s" ')}]`)).toEqual([read, read]);
    expect(parsePlain(record)).toEqual({ ...read, ts });
    expect(parsePlainRecords('{"ts": 1e400}')).toEqual({ ts: '1e400' });
  });

  it('replaces a record by a fault when it nests too deep or has a number that is too long', () => {
    const deep = '['.repeat(70) + ']'.repeat(70);
    const [first, second, third, fourth] = parsePlainRecords(
      `[{"a":1e400},\n {"a":${deep}},{"a":${'9'.repeat(401)}, "b":${deep}},\n"x"]`,
    ) as PlainLine[];
    expect([first, fourth]).toEqual([{ a: '1e400' }, 'x']);
    expect(second).toMatchObject({ kind: 'fault', line: 2, message: expect.stringContaining('64 deep') });
    expect(third).toMatchObject({ kind: 'fault', line: 2, message: expect.stringContaining('400 characters') });
  });
});

describe('parsePlainRecordsInSlices', () => {
  const long = ' '.repeat(70_000);
  const keys = Array.from({ length: 10_001 }, (_, index) => `"${index}":1e400`).join();
  const deep = `${'['.repeat(65)}${']'.repeat(65)}`;

  it.each([
    [
      'slices of one and of many items',
      `[{"ts":1e400,"a":1e400,"b":"],["},${long}1e400${',[1]'.repeat(50_000)}${long}, 2]`,
    ],
    ['faults in several slices', `[1,${deep},${long}2,{${keys}}${long},${'3,'.repeat(50_000)}${deep},4e400 ]`],
    ['no place to cut', `[{"a":[${'1,'.repeat(50_000)}1]}]`],
    ['a single record', ` {"a":"${long}"}`],
    ['an empty list', `[${long}]`],
  ])('returns the same as parsing in one step: %s', async (_, text) => {
    expect(await parsePlainRecordsInSlices(text, 'organization')).toEqual(parsePlainRecords(text));
  });

  it('replaces a record of more than 10,000 keys by a fault, and keeps its neighbours', async () => {
    const read = (await parsePlainRecordsInSlices(
      `[1,\n${long}{"data":{${keys}}},2e400,${long}3]`,
      'organization',
    )) as PlainLine[];
    expect(read).toMatchObject([1, { kind: 'fault', line: 1 }, '2e400', 3]);
    expect(() => parsePlainRecords(`{${keys}}`)).toThrow('at most 10000 keys');
  });

  it.each([
    ['nothing between two commas', `[1,${long},${long},2]`],
    ['nothing after the last comma', `[1,${long}2,${long}]`],
    ['nothing before the first comma', `[${long},1]`],
    ['no end', `[1,${long}2,${long}3`],
    ['text after the end', `[1,${long}2,${long}3] 4`],
    ['a bracket of the other kind', `[{"a":1],${long}{"b":2}]`],
    ['two lists', `[1,${long}2],[3,${long}4]`],
  ])('throws for invalid JSON with %s', async (_, text) => {
    await expect(parsePlainRecordsInSlices(text, 'organization')).rejects.toThrow(JsonSyntaxError);
  });
});
