import { describe, expect, it } from '@jest/globals';
import { ExactSerializer } from '#records/opensearch/serializer.js';

const read = (json: string) => new ExactSerializer().deserialize(json);

describe('parsing of OpenSearch answers', () => {
  it('keeps integers beyond 2^53 exact at any depth', () => {
    expect(read('{"a":9007199254740993}')).toEqual({ a: 9_007_199_254_740_993n });
    expect(read('[[9223372036854775807,-9223372036854775808]]')).toEqual([
      [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n],
    ]);
  });

  it('keeps other numbers and texts unchanged', () => {
    const answer = { us: 1_795_449_203_424_000, mean: 0.1 + 0.2, sum: 1.5e300, src: '{"big": 9223372036854775807}' };
    expect(read(JSON.stringify(answer))).toEqual(answer);
  });
});
