import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StreamType, VariableType } from '#entities/enums.js';
import { type Decoded, decode } from '#records/decode/decode.js';
import type { DecodableVariable } from '#records/decode/layout.js';
import type { Value } from '#records/decode/step.js';
import { encodeTagged, encodeValue } from './encode.js';

const variablesOf = (streamType: StreamType, ...types: VariableType[]): DecodableVariable[] =>
  types.map((type, index) => ({
    name: `v${index + 1}`,
    type,
    mappings: [{ streamId: 1, streamType, varNumber: index + 1 }],
  }));

const read = (streamType: StreamType, bytes: Buffer, ...types: VariableType[]): Decoded =>
  decode({ streamId: 1, streamType, bytes }, variablesOf(streamType, ...types));

const { BOOL, TXT, INT16, INT64, FLOAT32, UINT8, UINT16, UINT32 } = VariableType;
const bin = (hex: string, ...types: VariableType[]) => read(StreamType.BIN, Buffer.from(hex, 'hex'), ...types);
const raw = (hex: string, ...types: VariableType[]) => read(StreamType.RAW, Buffer.from(hex, 'hex'), ...types);
const text = (fields: string, ...types: VariableType[]) => read(StreamType.TXT, Buffer.from(fields), ...types);
const three = { data: { v1: 21.5, v2: 55, v3: true }, report: { status: 'ok' } };

const exact = (value: bigint): Value => (Number.isSafeInteger(Number(value)) ? Number(value) : value.toString());
const integers = (min: number, max: number) => fc.oneof(fc.constantFrom(min, max, 0), fc.integer({ min, max }));
const edges = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 2n ** 53n - 1n, -(2n ** 53n), 1n - 2n ** 53n];
const floats = fc.float({ noNaN: true, noDefaultInfinity: true });
const values: Record<VariableType, fc.Arbitrary<Value>> = {
  BOOL: fc.boolean(),
  TXT: fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => !value.includes('\0')),
  INT16: integers(-32768, 32767),
  INT64: fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: edges[0]!, max: edges[1]! })).map(exact),
  FLOAT32: floats,
  UINT8: integers(0, 255),
  UINT16: integers(0, 65535),
  UINT32: integers(0, 2 ** 32 - 1),
};
const typed = fc
  .constantFrom(...Object.values(VariableType))
  .chain((type) => values[type].map((value) => ({ type, value })));

const expectValue = (type: VariableType, got: Value | undefined, sent: Value) => {
  if (type !== FLOAT32) return expect(got).toBe(sent);
  expect(Math.fround(Number(got))).toBe(Number(sent) + 0);
  // The value has the fewest digits that still round to the same float32: no shorter text does.
  const digits = String(got)
    .replace(/e.*/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+|0+$/g, '').length;
  if (digits > 1) expect(Math.fround(Number(Number(sent).toPrecision(digits - 1)))).not.toBe(sent);
};

describe('frame decoding', () => {
  it('returns a result for any bytes and any variable mapping', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.constantFrom(...Object.values(StreamType)),
        fc.array(fc.constantFrom(...Object.values(VariableType)), { maxLength: 32 }),
        (bytes, streamType, types) => {
          const { data, report, steps } = read(streamType, Buffer.from(bytes), ...types);
          const decoded = Object.keys(data).length;
          expect(report.status).toBe(report.warnings ? (decoded ? 'partial' : 'failed') : 'ok');
          expect(report.warnings?.length ?? 0).toBe(steps.filter((step) => step.warning).length);
          for (const { start, end } of steps) expect(start <= end && end <= bytes.length).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('warns NO_LAYOUT when no variable is mapped to the stream', () => {
    const { data, report } = decode(
      { streamId: 2, streamType: StreamType.BIN, bytes: Buffer.from('00') },
      variablesOf(StreamType.BIN, UINT8),
    );
    expect({ data, report }).toEqual({
      data: {},
      report: { status: 'failed', warnings: [{ code: 'NO_LAYOUT', offset: 0 }] },
    });
  });
});

describe('BIN frame decoding', () => {
  it('reads tagged values', () => {
    expect(bin('0441AC00000D371001', FLOAT32, UINT8, BOOL)).toMatchObject(three);
  });

  it('decodes every BIN-encoded value of every type unchanged', () => {
    fc.assert(
      fc.property(fc.array(typed, { minLength: 1, maxLength: 32 }), (items) => {
        const frame = Buffer.concat(items.map(({ type, value }, index) => encodeTagged(index + 1, type, value)));
        const { data, report } = read(StreamType.BIN, frame, ...items.map(({ type }) => type));
        expect(report).toEqual({ status: 'ok' });
        items.forEach(({ type, value }, index) => expectValue(type, data[`v${index + 1}`], value));
      }),
    );
  });

  it.each([
    ['TRUNCATED', '0D370441AC', { v2: 55 }, { code: 'TRUNCATED', variable: 'v1', offset: 2 }],
    ['UNKNOWN_VARIABLE', '2D010D37', { v2: 55 }, { code: 'UNKNOWN_VARIABLE', variable: 6, offset: 0 }],
    ['TYPE_MISMATCH', '0E00370D37', { v2: 55 }, { code: 'TYPE_MISMATCH', variable: 'v2', offset: 0 }],
    ['NOT_FINITE', '047F8000000D37', { v2: 55 }, { code: 'NOT_FINITE', variable: 'v1', offset: 0 }],
    ['BAD_BOOL', '10020D37', { v2: 55 }, { code: 'BAD_BOOL', variable: 'v3', offset: 0 }],
    ['REPEATED', '0D370D38', { v2: 56 }, { code: 'REPEATED', variable: 'v2', offset: 2 }],
    ['BAD_UTF8', '1902FF41', { v4: '\uFFFDA' }, { code: 'BAD_UTF8', variable: 'v4', offset: 0 }],
    ['TRUNCATED text', '0D371905AB', { v2: 55 }, { code: 'TRUNCATED', variable: 'v4', offset: 2 }],
  ])('warns of %s in a BIN frame and keeps the other values', (_code, hex, data, warning) => {
    expect(bin(hex, FLOAT32, UINT8, BOOL, TXT)).toMatchObject({
      data,
      report: { status: 'partial', warnings: [warning] },
    });
  });

  it('replaces characters that PostgreSQL cannot store in a text', () => {
    expect(bin('0103410042', TXT).data).toEqual({ v1: 'A\uFFFDB' });
  });
});

describe('RAW frame decoding', () => {
  it('reads values by their position', () => {
    expect(raw('41AC00003701', FLOAT32, UINT8, BOOL)).toMatchObject(three);
  });

  it('decodes every RAW-encoded value of every type unchanged, and a trailing text as hexadecimal', () => {
    const fixed = typed.filter(({ type }) => type !== TXT);
    fc.assert(
      fc.property(fc.array(fixed, { minLength: 1, maxLength: 31 }), fc.uint8Array(), (items, rest) => {
        const tail = Buffer.from(rest);
        const frame = Buffer.concat([...items.map(({ type, value }) => encodeValue[type](value)), tail]);
        const { data, report } = read(StreamType.RAW, frame, ...items.map(({ type }) => type), TXT);
        expect(report).toEqual({ status: 'ok' });
        items.forEach(({ type, value }, index) => expectValue(type, data[`v${index + 1}`], value));
        expect(data[`v${items.length + 1}`]).toBe(tail.length ? tail.toString('hex') : undefined);
      }),
    );
  });

  it('leaves out the remaining variables when the frame ends between two values', () => {
    expect(raw('41AC000037', FLOAT32, UINT8, BOOL)).toMatchObject({
      data: { v1: 21.5, v2: 55 },
      report: { status: 'ok' },
    });
  });

  it.each([
    ['TRUNCATED', '41AC0000370100', { v1: 21.5, v2: 55, v3: true }, { code: 'TRUNCATED', variable: 'v4', offset: 6 }],
    [
      'TRAILING_BYTES',
      '41AC0000370100FFAA',
      { v1: 21.5, v2: 55, v3: true, v4: 255 },
      { code: 'TRAILING_BYTES', offset: 8 },
    ],
    ['BAD_BOOL', '41AC0000370700FF', { v1: 21.5, v2: 55, v4: 255 }, { code: 'BAD_BOOL', variable: 'v3', offset: 5 }],
  ])('warns of %s in a RAW frame and keeps the other values', (_code, hex, data, warning) => {
    const { data: got, report } = raw(hex, FLOAT32, UINT8, BOOL, UINT16);
    expect({ got, report }).toEqual({ got: data, report: { status: 'partial', warnings: [warning] } });
  });
});

describe('TXT frame decoding', () => {
  it('reads fields by position and leaves out empty ones', () => {
    expect(text('21.5;;true', FLOAT32, UINT8, BOOL)).toMatchObject({
      data: { v1: 21.5, v3: true },
      report: { status: 'ok' },
    });
  });

  it('reads number=value assignments when every field is one', () => {
    expect(text('3=1;1=21.5;;2=55', FLOAT32, UINT8, BOOL)).toMatchObject(three);
    expect(text('1=a;b', TXT, TXT)).toMatchObject({ data: { v1: '1=a', v2: 'b' } });
  });

  it('decodes every TXT-encoded value of every type unchanged', () => {
    const plain = typed.filter(({ value }) => typeof value !== 'string' || /^[^;=]+$/.test(value));
    fc.assert(
      fc.property(fc.array(plain, { minLength: 1, maxLength: 32 }), (items) => {
        const { data, report } = text(
          items.map(({ value }) => String(value)).join(';'),
          ...items.map(({ type }) => type),
        );
        expect(report).toEqual({ status: 'ok' });
        items.forEach(({ type, value }, index) => expectValue(type, data[`v${index + 1}`], value));
      }),
    );
  });

  it.each([
    ['BAD_FIELD', '21.5;x;1', { v1: 21.5, v3: true }, { code: 'BAD_FIELD', variable: 'v2', offset: 2 }],
    ['OUT_OF_RANGE', '21.5;256;1', { v1: 21.5, v3: true }, { code: 'OUT_OF_RANGE', variable: 'v2', offset: 2 }],
    ['NOT_FINITE', 'NaN;55;1', { v2: 55, v3: true }, { code: 'NOT_FINITE', variable: 'v1', offset: 1 }],
    ['BAD_BOOL', '21.5;55;yes', { v1: 21.5, v2: 55 }, { code: 'BAD_BOOL', variable: 'v3', offset: 3 }],
    [
      'UNKNOWN_VARIABLE',
      '21.5;55;1;4',
      { v1: 21.5, v2: 55, v3: true },
      { code: 'UNKNOWN_VARIABLE', variable: 4, offset: 4 },
    ],
    ['REPEATED', '1=20;1=21.5', { v1: 21.5 }, { code: 'REPEATED', variable: 'v1', offset: 2 }],
  ])('warns of %s with the number of the field', (_code, fields, data, warning) => {
    const { data: got, report } = text(fields, FLOAT32, UINT8, BOOL);
    expect({ got, report }).toEqual({ got: data, report: { status: 'partial', warnings: [warning] } });
  });

  it.each([
    [INT16, '-32769'],
    [INT64, '9223372036854775808'],
    [UINT16, '-1'],
    [UINT32, '4294967296'],
    [FLOAT32, '3.5e38'],
  ])('warns OUT_OF_RANGE for a value that %s cannot hold', (type, field) => {
    expect(text(field, type)).toMatchObject({
      data: {},
      report: { status: 'failed', warnings: [{ code: 'OUT_OF_RANGE', variable: 'v1', offset: 1 }] },
    });
  });

  it('keeps integers beyond 2^53 as exact text', () => {
    expect(text('9007199254740993;9007199254740991', INT64, INT64).data).toEqual({
      v1: '9007199254740993',
      v2: 9007199254740991,
    });
  });
});

describe('FLOAT32 decoding', () => {
  it.each([
    ['3DCCCCCD', 0.1],
    ['41A0CCCD', 20.1],
    ['6B800000', 3.0948501e26],
    ['6C800000', 1.2379401e27],
    ['0F800000', 1.2621775e-29],
    ['00000001', 1e-45],
    ['7F7FFFFF', 3.4028235e38],
    ['80000000', 0],
  ])('decodes %s to the shortest decimal that reads back', (hex, value) => {
    expect(raw(hex, FLOAT32).data).toEqual({ v1: value });
  });
});
