import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EncodingError, encode, parameterFaults } from '#downlink/encode.js';
import { StreamType, VariableType } from '#entities/enums.js';
import { decode } from '#records/decode/decode.js';
import { shortestFloat32 } from '#records/decode/value.js';

const whole = (min: bigint, max: bigint) =>
  fc.bigInt({ min, max }).map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()));
const values: Record<VariableType, fc.Arbitrary<unknown>> = {
  BOOL: fc.boolean(),
  INT16: whole(-(2n ** 15n), 2n ** 15n - 1n),
  INT64: whole(-(2n ** 63n), 2n ** 63n - 1n),
  FLOAT32: fc.float({ noNaN: true, noDefaultInfinity: true }).map(shortestFloat32),
  UINT8: whole(0n, 255n),
  UINT16: whole(0n, 65_535n),
  UINT32: whole(0n, 2n ** 32n - 1n),
  TXT: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', ' '), minLength: 1, maxLength: 40 }),
};
const types = Object.keys(values) as VariableType[];

const parameter = fc.constantFrom(...types).chain((type) => fc.tuple(fc.constant(type), values[type]));
const command = fc.tuple(
  fc.constantFrom(...Object.values(StreamType)),
  fc.array(parameter, { minLength: 1, maxLength: 32 }),
);

describe('encoding of commands', () => {
  it('writes what decoding reads back', () => {
    fc.assert(
      fc.property(command, ([streamType, list]) => {
        const used = streamType === StreamType.RAW ? list.filter(([type]) => type !== VariableType.TXT) : list;
        fc.pre(used.length > 0);
        const declared = used.map(([type], index) => ({ name: `p${index}`, type }));
        const sent = Object.fromEntries(used.map(([, value], index) => [`p${index}`, value]));
        expect(parameterFaults(declared, sent)).toEqual([]);
        const bytes = encode(streamType, declared, sent);
        const variables = declared.map((each, index) => ({
          ...each,
          mappings: [{ streamId: 1, streamType, varNumber: index + 1 }],
        }));
        const { data, report } = decode({ streamId: 1, streamType, bytes }, variables);
        expect(report).toEqual({ status: 'ok' });
        expect(data).toEqual(sent);
      }),
    );
  });

  it('takes the hexadecimal digits of a text at the end of a RAW stream', () => {
    const declared = [
      { name: 'level', type: VariableType.UINT8 },
      { name: 'rest', type: VariableType.TXT },
    ];
    expect(encode(StreamType.RAW, declared, { level: 7, rest: 'CAFE' }).toString('hex')).toBe('07cafe');
    expect(() => encode(StreamType.RAW, declared, { level: 7, rest: 'no' })).toThrow(EncodingError);
  });

  it('refuses a text that a TXT stream would read as several fields', () => {
    const declared = [{ name: 'word', type: VariableType.TXT }];
    for (const word of ['a;b', '1=2', ''])
      expect(() => encode(StreamType.TXT, declared, { word })).toThrow(EncodingError);
  });
});
