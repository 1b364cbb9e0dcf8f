import { beforeAll, describe, expect, it } from '@jest/globals';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld, type WorldRecord, worldNow } from './world.js';

type Plain = { [key: string]: PlainJson };

const declaring = ['nobody', 'own', 'beside', 'outside'] as const;
const storing = ['own', 'none'] as const;
const seenBefore = ['new', 'flat elsewhere'] as const;
/** The ways to store the path `root.b.c`. */
const forms: Readonly<Record<string, (root: string) => Plain>> = {
  'objects alone': (root) => ({ [root]: { b: { c: 7 } } }),
  'a dot in the last key': (root) => ({ [root]: { 'b.c': 7 } }),
  'a dot in the first key': (root) => ({ [`${root}.b`]: { c: 7 } }),
  'one key': (root) => ({ [`${root}.b.c`]: 7 }),
};

const cases = declaring.flatMap((by) =>
  storing.flatMap((device) =>
    seenBefore.flatMap((before) => Object.keys(forms).map((form) => ({ by, device, before, form }))),
  ),
);
type Case = (typeof cases)[number];
const rootOf = (one: Case) => `r${cases.indexOf(one)}`;
const declaredBy = (by: Case['by'], type = VariableType.FLOAT32) =>
  cases.filter((one) => one.by === by).map((one) => ({ name: `${rootOf(one)}.b.c`, type }));
const dataOf = (some: readonly Case[], form: (one: Case) => (root: string) => Plain) =>
  Object.assign({}, ...some.map((one) => form(one)(rootOf(one)))) as Plain;

const at = worldNow / 1000 - 7200;
const stored = (device: Case['device']): WorldRecord => ({
  serial: device,
  ts: at,
  data: dataOf(
    cases.filter((one) => one.device === device),
    ({ form }) => forms[form]!,
  ),
});

const world = useWorld({
  products: {
    own: declaredBy('own'),
    beside: declaredBy('beside'),
    outside: [
      ...declaredBy('outside'),
      { name: 'above', type: VariableType.TXT },
      { name: 'typed', type: VariableType.TXT },
    ],
  },
  devices: [
    { serial: 'own', product: 'own' },
    { serial: 'beside', product: 'beside' },
    { serial: 'none' },
    { serial: 'outside', product: 'outside', linked: false },
  ],
  records: [
    {
      serial: 'outside',
      ts: at,
      data: dataOf(
        cases.filter(({ before }) => before === 'flat elsewhere'),
        () => forms['one key']!,
      ),
    },
    stored('own'),
    stored('none'),
    { serial: 'none', ts: at + 1, data: { above: { x: 5 }, typed: 5 } },
  ],
});

interface Found {
  stats: { aggregations: Record<string, { sum: number }> };
  exists: { aggregations: { a: { buckets: Record<string, { doc_count: number }> } } };
}
let found: Found;
const pathsOf = (one: Case) => [`data.${rootOf(one)}.b.c`, `data.${rootOf(one)}.b`];

beforeAll(async () => {
  const filters = Object.fromEntries(cases.flatMap(pathsOf).map((field) => [field, { exists: { field } }]));
  const stats = Object.fromEntries(cases.map((one) => [rootOf(one), { stats: { field: pathsOf(one)[0]! } }]));
  const { responses } = await world.askAll([
    { products: [], size: 0, aggs: stats },
    { products: [], size: 0, aggs: { a: { filters: { filters } } } },
  ]);
  found = { stats: responses[0], exists: responses[1] } as unknown as Found;
});

describe('field path with dots', () => {
  it.each(cases)(
    'finds a value stored as $form by a device of product $device, declared by $by, $before to the catalogue',
    (one) => {
      const counts = pathsOf(one).map((path) => found.exists.aggregations.a.buckets[path]!.doc_count);
      expect({ counts, sum: found.stats.aggregations[rootOf(one)]!.sum }).toEqual({ counts: [1, 1], sum: 7 });
    },
  );
});

describe('variable of a product outside the application', () => {
  it('leaves nested values below its name searchable', async () => {
    expect(await world.ask({ query: { exists: { field: 'data.above' } } })).toMatchObject({
      hits: { total: { value: 1 } },
    });
  });

  it('leaves the type of an undeclared field of the application unchanged', async () => {
    expect(await world.ask({ size: 0, aggs: { a: { avg: { field: 'data.typed' } } } })).toMatchObject({
      status: 200,
      aggregations: { a: { value: 5 } },
    });
  });
});
