import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StreamType, VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { compileDerivation } from '#records/derive/derivation.js';
import { type Item, Rejection } from '#records/item.js';
import { contentToday, createRecord } from '#records/new-record.js';
import type { ProductShape } from '#records/scope/product-shape.js';
import { typeData } from '#records/typed-data.js';

const names = ['a', 'b', 'c', 'd'];
const types = [VariableType.FLOAT32, VariableType.INT16, VariableType.BOOL, VariableType.TXT];

/** A product that declares some of the names and derives others. Formulas may not fit its variables. */
const shape: fc.Arbitrary<ProductShape> = fc
  .tuple(
    fc.uniqueArray(
      fc.record({
        name: fc.constantFrom(...names),
        type: fc.constantFrom(...types),
        formula: fc.option(
          fc.constantFrom('a + b', 'a / b', 'c ? a : b', 'device.x * a', 'd', '1', 'true', 'a +', 'b == d', 'has(c)'),
          { nil: undefined },
        ),
      }),
      { selector: ({ name }) => name },
    ),
    fc.boolean(),
  )
  .map(([variables, maps]) => {
    const declared = variables.flatMap(({ name, type, formula }, index) =>
      formula === undefined
        ? { name, type, ...(maps && { mappings: [{ streamId: 1, streamType: StreamType.BIN, varNumber: index + 1 }] }) }
        : [],
    );
    const derived = variables.flatMap(({ formula, ...one }) => (formula === undefined ? [] : { ...one, formula }));
    const slots = variables.map(({ name, type }, index) => ({
      name,
      type,
      kind: type === VariableType.TXT ? ('text' as const) : ('number' as const),
      slot: index + 1,
    }));
    const derivation = derived.length > 0 ? compileDerivation(declared, derived) : undefined;
    return { variables: [...declared, ...derived], slots, derivation };
  });

const value: fc.Arbitrary<PlainJson> = fc.oneof(
  fc.constantFrom<PlainJson>(null, 0, 1, -2.5, 40_000, true, 'x', '7', [1, 2], { x: 1 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
);

const item: fc.Arbitrary<Item> = fc.record(
  {
    serials: fc.constant(['a0']),
    ts: fc.constant(1.7e9),
    data: fc.dictionary(fc.constantFrom(...names, 'e'), value),
    metadata: fc.dictionary(fc.constantFrom('rssi', 'decode'), fc.constantFrom<PlainJson>(1, 'x')),
    dataWins: fc.boolean(),
    frame: fc.record({
      streamId: fc.constantFrom(1, 2),
      streamType: fc.constant(StreamType.BIN),
      bytes: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    }),
  },
  { requiredKeys: ['serials', 'ts', 'data', 'metadata'] },
);

const device = { id: 'd', serial: 'a0', organizationId: 'o' };
const attribute = (x: number | undefined) => ({ at: () => () => x });

/** Returns a record as it is stored by a product. JSON is what PostgreSQL returns. */
const stored = (sent: Item, product: ProductShape, x: number | undefined) => {
  const record = createRecord(sent, device, product, 1.7e9, 0, attribute(x) as never);
  if (record instanceof Rejection) throw record;
  const { metadata, data, frame, given, typed } = record;
  return JSON.parse(JSON.stringify({ metadata, data, frame, given, typed })) as typeof record;
};

it('gives the same record when a product computes again as when it stores today, through any changes', () => {
  const offset = fc.option(fc.constantFrom(0, 2), { nil: undefined });
  fc.assert(
    fc.property(item, fc.array(fc.tuple(shape, offset), { minLength: 2, maxLength: 4 }), (sent, products) => {
      const [first, ...later] = products as [(typeof products)[number], ...typeof products];
      let record = stored(sent, ...first);
      for (const [product, x] of later) {
        const { frame, given } = record;
        const today = contentToday({ ...record, frame, given }, product, { attribute: () => x });
        const typed = typeData(today.data, product.slots);
        record = JSON.parse(JSON.stringify({ ...record, ...today, typed })) as typeof record;
        expect(record).toEqual(stored(sent, product, x));
      }
    }),
    { numRuns: 1000 },
  );
});
