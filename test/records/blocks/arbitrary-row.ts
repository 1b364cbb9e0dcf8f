import fc, { type Arbitrary } from 'fast-check';
import type { StoredRow } from '#records/blocks/stored-row.js';

/** A text as callers send it, as far as PostgreSQL stores it: NUL is replaced, and so are lone surrogates. */
const text = (maxLength: number): Arbitrary<string> =>
  fc
    .oneof(
      fc.string({ unit: 'binary', maxLength }),
      fc.array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength }).map((units) => String.fromCharCode(...units)),
      fc.constantFrom(
        '',
        'ok',
        'error',
        'null',
        'true',
        '#',
        '$',
        '?2',
        '"',
        '\\',
        '\\"',
        'a"b\\',
        '\u0001\n\t\u007f',
        '00',
        'ff0a',
        '{"a": 1}',
      ),
    )
    .map((value) => value.replaceAll('\0', '\ufffd').toWellFormed());

/** JSON of a number, in every form that digits can have. */
const numeral: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '-0',
    '0',
    '-0.0',
    '0.00',
    '21.50',
    '21.5',
    '1e308',
    '-1.7976931348623157e308',
    '5e-324',
    '2.5e-310',
    '1e400',
    '9223372036854775808',
    '9007199254740993',
    '0.1',
    '0.30000000000000004',
    '1e21',
    '123456789.123456789',
    '1.0',
    '100',
    '1e-7',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 12 }))
    .map(([value, decimals]) => (value / 100).toFixed(decimals)),
);

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'rssi', 'gateways', 'a.b', 'a[0]', '[]', '', '"', '__proto__', '\\'),
  text(8),
);

/** JSON text of any value. */
const json: Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    numeral,
    text(12).map((value) => JSON.stringify(value)),
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
  ),
})).value;

/** Objects with a value of any type, or of one type, at each of a few names; at times with names that others lack. */
const objects: Arbitrary<Arbitrary<string>> = fc
  .uniqueArray(
    fc.tuple(
      key,
      fc.constantFrom(
        numeral,
        fc.integer({ min: -50, max: 50 }).map(String),
        json,
        fc.constantFrom('true', 'false'),
        fc.constantFrom('"ok"', '"error"'),
        fc.array(numeral, { maxLength: 4 }).map((items) => `[${items.join()}]`),
      ),
    ),
    { maxLength: 5, selector: ([name]) => name },
  )
  .map((fields) =>
    fc
      .tuple(
        ...fields.map(([name, value]) =>
          fc.option(value, { freq: 8 }).map((item) => (item === null ? [] : [`${JSON.stringify(name)}:${item}`])),
        ),
      )
      .map((items) => `{${items.flat().join()}}`),
  );

const double = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    21.5,
    1e308,
    5e-324,
    2 ** 63,
    -(2 ** 63),
    2 ** 53 - 1,
    1 / 3,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ),
  fc.double(),
  fc.integer({ min: -1000, max: 1000 }).map((value) => value / 10),
);
const narrow = fc.integer({ min: 0, max: 300 }).map((value) => value / 4);

const slots = <Value>(value: Arbitrary<Value>): Arbitrary<(Value | null)[] | null> =>
  fc.option(fc.array(fc.option(value, { freq: 6 }), { maxLength: 4 }), { freq: 8 });

const hex = (digits: number): Arbitrary<string> =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits }).map((all) => all.join(''));

const day = Date.UTC(2026, 9, 25);

/** Identifiers: as they were, with the process' bits and a counter, or of any form. */
const ids: Arbitrary<Arbitrary<string>> = fc.oneof(
  fc.constant(
    fc
      .tuple(fc.integer({ min: 0, max: 90_000_000 }), hex(3), fc.constantFrom('8', '9', 'a', 'b'), hex(15))
      .map(([after, a, b, c]) => arrival(after) + `7${a}${b}${c}`),
  ),
  fc
    .array(hex(10), { minLength: 1, maxLength: 2 })
    .map((processes) =>
      fc
        .tuple(
          fc.integer({ min: 0, max: 90_000_000 }),
          fc.integer({ min: 0, max: 5000 }),
          fc.constantFrom(...processes),
        )
        .map(
          ([after, counter, process]) => `${arrival(after)}7fff${(0xbf_0000 + counter * 4 + 1).toString(16)}${process}`,
        ),
    ),
  fc.constant(hex(32)),
);

const arrival = (after: number): string => (day + after).toString(16).padStart(12, '0');

/** A row, of which most values are typical of its device. */
const row = (
  id: Arbitrary<string>,
  unit: number,
  parts: Arbitrary<string>[],
  number: Arbitrary<number>,
): Arbitrary<StoredRow> => {
  const [metadata, data, frame, given, many] = parts as [
    Arbitrary<string>,
    Arbitrary<string>,
    Arbitrary<string>,
    Arbitrary<string>,
    Arbitrary<string>,
  ];
  return fc.record({
    id,
    seq: fc.integer({ min: 1, max: 2 ** 40 }),
    device: fc.integer({ min: 1, max: 3 }),
    ts: fc.integer({ min: 0, max: Math.floor(86_399_999_999 / unit) }).map((at) => day * 1000 + at * unit),
    metadata,
    data,
    frame: fc.option(frame),
    given: fc.option(given, { freq: 2 }),
    many: fc.option(many, { freq: 2 }),
    numbers: slots(number),
    texts: slots(text(10)),
    ignored: fc.option(fc.array(fc.constantFrom('data.a', 'data.b'), { maxLength: 2 }), { freq: 3 }),
  });
};

/** Records of a block, in its order. */
export const arbitraryRows = (maxLength: number): Arbitrary<StoredRow[]> =>
  fc
    .tuple(
      ids,
      fc.constantFrom(1, 1000, 1_000_000),
      fc.array(fc.oneof(objects, fc.constant(json)), { minLength: 5, maxLength: 5 }),
      fc.constantFrom(double, narrow),
    )
    .chain(([id, unit, parts, number]) =>
      fc.array(row(id, unit, parts, number), { minLength: 1, maxLength, size: 'max' }),
    )
    .map((rows) => rows.sort((a, b) => a.device - b.device || a.ts - b.ts || a.seq - b.seq));
