import fc, { type Arbitrary } from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = Record<string, Json>;

/** Two applications with a device each: of a product that declares variables, and of none. */
export type Kind = 'declared' | 'free';

export const variables = [
  { name: 'temperature', type: 'FLOAT32' },
  { name: 'count', type: 'INT64' },
  { name: 'small', type: 'UINT8', mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 1 }] },
  { name: 'open', type: 'BOOL' },
  { name: 'label', type: 'TXT' },
  { name: 'a.b', type: 'FLOAT32' },
  { name: 'note..text', type: 'TXT' },
];

/** Texts that readers of files take for something else. */
const marks = ['', ' ', ' a ', '\n', 'a\nb', 'a\rb', 'a\r\nb', '\ttab', '"', 'say "x", y;', '\uFEFFx'];
const formulas = ['=1+1', "'=1", "''-x", '-5', "'-5", '+3'];
const lookalikes = ['21.5', '007', '1e5', '9007199254740993', 'true', 'FALSE', 'null', 'NaN', '21,5', '2024-01-01'];
const trap = fc.constantFrom(...marks, ...formulas, ...lookalikes);
export const text = fc
  .oneof(
    trap,
    fc
      .array(fc.oneof(trap, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 4 })
      .map((parts) => parts.join('')),
  )
  .filter((one) => !/^\s*[[{]/.test(one) && !one.includes('\0'));
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0.1, 1e-7, 1e21, 2 ** 53))
  .map((one) => one + 0);
const scalar = fc.oneof(text, number, fc.boolean());
const list = fc.array(scalar, { maxLength: 3 });
const value: Arbitrary<Json> = fc.oneof(
  scalar,
  list,
  fc.constant(null),
  fc.dictionary(fc.constantFrom('x', 'y z'), scalar, { minKeys: 1 }),
);

export const dataOf: Readonly<Record<Kind, Arbitrary<Fields>>> = {
  declared: fc.record(
    {
      temperature: value,
      count: fc.oneof(value, fc.constant('-9223372036854775808')),
      small: value,
      open: value,
      label: fc.oneof(scalar, list, fc.constant(null), fc.constantFrom('[1,2]', '[true]', '{"x":1}', '["a", 1]')),
      'a.b': value,
      'note..text': text,
      undeclared: value,
    },
    { requiredKeys: [] },
  ),
  free: fc.record(
    {
      number,
      text,
      flag: fc.boolean(),
      mixed: scalar,
      list,
      place: fc.record({ lat: number, 'floor.of': text }, { requiredKeys: [] }),
      'p.q': number,
      p: text,
      objects: fc.array(fc.record({ k: scalar, l: list }, { requiredKeys: [] }), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
};
export const metadata: Arbitrary<Fields> = fc.record({ rssi: number, note: value }, { requiredKeys: [] });
