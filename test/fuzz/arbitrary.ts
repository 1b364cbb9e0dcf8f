import { deflateRawSync, gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';

/** Repeats a text many times, so that a case stays small. */
export const repeated = (...texts: readonly string[]): Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...texts), fc.constantFrom(1, 3, 50, 400, 5000)).map(([text, times]) => text.repeat(times));

/** Mixes pieces of a grammar in any order, and repeats some of them very often. */
export const soup = (...pieces: readonly string[]): Arbitrary<string> =>
  fc
    .array(
      fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, { weight: 1, arbitrary: repeated(...pieces) }),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join(''));

/** Cuts, doubles or replaces parts of a valid text. */
export const mutated = (base: Buffer): Arbitrary<Buffer> =>
  fc
    .array(fc.tuple(fc.nat(base.length), fc.nat(8), fc.uint8Array({ maxLength: 6 }), fc.constantFrom(0, 0, 0, 1000)), {
      minLength: 1,
      maxLength: 6,
    })
    .map((changes) =>
      changes.reduce<Buffer>(
        (bytes, [at, cut, put, times]) =>
          Buffer.concat([
            bytes.subarray(0, at),
            ...Array.from({ length: Math.max(1, times) }, () => Buffer.from(put)),
            bytes.subarray(at + cut),
          ]),
        base,
      ),
    );

/** JSON bodies that are deeply nested, long, full of values, extreme or broken. */
export const json: Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 4 }),
  soup(
    '[',
    ']',
    '{',
    '}',
    '"a":',
    ',',
    '1e400',
    '-',
    '"\\u0000"',
    '"\\ud800"',
    'null',
    '1'.repeat(300),
    '"__proto__":{',
  ),
);

/** Generates bytes, some of which are compressed from much larger texts. */
export const packed = (text: string): Arbitrary<[Buffer, Record<string, string>]> =>
  fc.constantFrom<[Buffer, Record<string, string>]>(
    [Buffer.from(text), {}],
    [gzipSync(text), { 'content-encoding': 'gzip' }],
    [gzipSync(text.repeat(50)), { 'content-encoding': 'gzip' }],
    [deflateRawSync(text), { 'content-encoding': 'deflate' }],
    [Buffer.from(text), { 'content-encoding': 'gzip' }],
  );
