import fc, { type Arbitrary } from 'fast-check';

/** A document of an organization, as a person could write it. */
export type Written = Record<string, Record<string, Record<string, unknown>>>;

const [products, applications, hooks, teams, rules] = [
  ['pump', 'valve', 'meter'],
  ['north', 'south', 'east'],
  ['erp', 'crm', 'bi', 'mail'],
  ['Day', 'Night'],
  ['hot', 'cold', 'still'],
];
const serials = ['a0-01', 'A0-02', 'b0', 'c0-7'];

/** Returns some of the names, each with a thing. */
const some = <Thing>(names: readonly string[], thing: Arbitrary<Thing>): Arbitrary<Record<string, Thing>> =>
  fc
    .tuple(fc.subarray([...names]), fc.array(thing, { minLength: names.length, maxLength: names.length }))
    .map(([chosen, things]) => Object.fromEntries(chosen.map((name, index) => [name, things[index]!])));

const words = fc.constantFrom('A', 'Freezer', 'é "x": #', '12e5', 'null', '~ y');

const variable = fc.record({ name: fc.constantFrom('t', 'p', 'door'), type: fc.constantFrom('FLOAT32', 'BOOL') });
const setting = fc.record(
  {
    name: fc.constantFrom('t', 'p', 'door', '12e5'),
    counter: fc.constantFrom(null, {}, { jitter: 0.5 }, { rollsOverAt: 1e6 }),
    words: fc.uniqueArray(fc.record({ value: fc.constantFrom('10', '9', 'true'), word: words }), {
      selector: ({ value }) => value,
    }),
    decimals: fc.constantFrom(null, 0, 2),
  },
  { requiredKeys: ['name'] },
);
const derived = fc.record({
  name: fc.constantFrom('x', 'y 1'),
  unit: fc.constantFrom(null, '', 'K'),
  type: fc.constantFrom('FLOAT32', 'INT64'),
  formula: fc.constantFrom('1 + 1', '2'),
});
/** Takes counters away from booleans, which the service refuses. */
const withoutRefused = (product: Record<string, unknown>): Record<string, unknown> => {
  const { variables, settings } = product as {
    variables: { name: string; type: string }[];
    settings?: { variables: { name: string; counter?: unknown }[] };
  };
  if (settings === undefined) return product;
  const isBoolean = (name: string) => variables.some((each) => each.name === name && each.type === 'BOOL');
  const kept = settings.variables.map(({ counter, ...rest }) =>
    counter === undefined || isBoolean(rest.name) ? rest : { ...rest, counter },
  );
  return { ...product, settings: { ...settings, variables: kept } };
};

const bareProduct = fc.record(
  {
    name: words,
    version: fc.constantFrom('1', '2.0', 'true'),
    variables: fc.uniqueArray(variable, { maxLength: 3, selector: ({ name }) => name }),
    settings: fc.record({
      variables: fc.uniqueArray(setting, { maxLength: 3, selector: ({ name }) => name }),
      derived: fc.uniqueArray(derived, { maxLength: 2, selector: ({ name }) => name }),
    }),
  },
  { requiredKeys: ['name', 'version', 'variables'] },
);
const product = bareProduct.map(withoutRefused);

const filter = (known: readonly string[]) =>
  fc.record(
    {
      products: fc.subarray([...known], { minLength: Math.min(1, known.length) }),
      tags: fc.constant(['roof']),
      query: fc.constantFrom({ match_all: {} }, { exists: { field: 'data.t' } }),
    },
    { requiredKeys: [] },
  );

const hook = (known: readonly string[]) =>
  fc.record({
    url: fc.constantFrom('http://127.0.0.1:9/a', 'http://127.0.0.1:9/b'),
    disabled: fc.boolean(),
    concurrency: fc.constantFrom(1, 8),
    maxPerSecond: fc.constantFrom(null, 0.5),
    filter: fc.oneof(fc.constant(null), filter(known)),
  });

const comparison = fc.oneof(
  fc.record({
    variable: fc.constantFrom('level', 'o.x'),
    operator: fc.constantFrom('gt', 'lte', 'eq'),
    value: fc.constantFrom(8, -0.5, 0, '9007199254740993'),
  }),
  fc.record({
    variable: fc.constantFrom('state', 'note'),
    operator: fc.constantFrom('eq', 'ne'),
    value: fc.constantFrom('', 'null', '12e5', false, true),
  }),
);
const comparisons = fc.array(comparison, { minLength: 1, maxLength: 3 });
const condition = fc.oneof(
  comparisons.map((all) => ({ all })),
  comparisons.map((any) => ({ any })),
  fc.constantFrom({ query: { match_all: {} } }, { query: { range: { 'data.level': { gt: 8, lt: null } } } }),
);
/** Conditions that open and close. No record may meet both. */
const conditions = fc.oneof(
  fc.record({ when: condition, until: fc.constant(null) }, { requiredKeys: ['when'] }),
  fc.constantFrom(
    {
      when: { any: [{ variable: 'level', operator: 'gt', value: '9007199254740993' }] },
      until: { all: [{ variable: 'level', operator: 'lte', value: -0.5 }] },
    },
    { when: { query: { match_all: {} } }, until: { all: [{ variable: 'note', operator: 'ne', value: '' }] } },
  ),
);
const seconds = fc.constantFrom(null, 60, 90.5);
const scope = (known: readonly string[]) => ({
  name: words,
  severity: fc.constantFrom(null, 'info', 'critical'),
  disabled: fc.constantFrom(null, true, false),
  products: fc.oneof(fc.constant(null), fc.subarray([...known])),
  tags: fc.constantFrom(null, ['roof'], ['roof', 'cellar', 'roof']),
  recipients: fc.constantFrom(null, [], ['a@ddp.example'], ['B@ddp.example', 'a@ddp.example']),
});
const threshold = (known: readonly string[]) =>
  fc
    .tuple(
      conditions,
      fc.record(
        {
          ...scope(known),
          kind: fc.constant('threshold'),
          for: fc.constantFrom(null, 0, 600),
          maxGap: seconds,
          closeAfter: seconds,
        },
        { requiredKeys: ['name', 'kind'] },
      ),
    )
    .map(([one, other]) => ({ ...one, ...other }));
const silence = (known: readonly string[]) =>
  fc.record(
    {
      ...scope(known),
      kind: fc.constant('silence'),
      silentFor: fc.constantFrom(60, 7200.25),
      variable: fc.constantFrom(null, 't'),
    },
    { requiredKeys: ['name', 'kind', 'silentFor'] },
  );
/** Alert rules. The kind of a rule cannot be changed, so it follows from the key. */
const alertRules = (known: readonly string[]) =>
  fc
    .tuple(some(rules.slice(0, 2), threshold(known)), some(rules.slice(2), silence(known)))
    .map(([one, two]) => ({ ...one, ...two }));

const place = { id: 'p1', title: '', x: 0, y: 0, w: 6, h: 6 };
const panel = (named: string) => ({
  ...place,
  kind: 'series',
  draw: 'line',
  bands: [],
  sources: [{ product: named, variable: 'data.t', label: '' }],
});
const dashboard = (known: readonly string[]) =>
  fc.record({
    format: fc.constant(1),
    range: fc.constantFrom('24h', '7d'),
    variables: fc.constant([]),
    panels:
      known.length === 0 ? fc.constant([]) : fc.subarray([...known], { maxLength: 1 }).map((named) => named.map(panel)),
  });

const application = (known: readonly string[]) =>
  fc
    .record({
      name: words,
      description: fc.constantFrom(null, '', 'North\nside'),
      hasDashboard: fc.constant(true),
      dashboard: dashboard(known),
      alertRules: alertRules(known),
    })
    .chain((values) =>
      fc.boolean().map((has) => {
        const { name, description, alertRules: below } = values;
        return has ? values : { name, description, alertRules: below };
      }),
    );

/** Deals hooks out to applications, so that each hook stands in one of them. */
const dealt = (known: readonly string[], places: readonly string[]) =>
  places.length === 0
    ? fc.constant(new Map<string, [string, unknown][]>())
    : fc
        .tuple(
          some(hooks, hook(known)),
          fc.array(fc.constantFrom(...places), { minLength: hooks.length, maxLength: hooks.length }),
        )
        .map(([all, chosen]) => Map.groupBy(Object.entries(all), ([name]) => chosen[hooks.indexOf(name)]!));

const team = (known: readonly string[], people: readonly string[]) =>
  fc.record({
    description: fc.constantFrom(null, 'Crew'),
    members: fc.subarray([...people]),
    applications: some(known, fc.constantFrom('read', 'write')),
  });

const device = (made: readonly string[], known: readonly string[]) =>
  fc.record({
    name: fc.oneof(fc.constant(null), words),
    tags: fc.subarray(['roof', 'cellar']),
    attributes: fc.dictionary(
      fc.constantFrom('line', 'a b', '12e5'),
      fc.constantFrom(1, -0.5, true, false, '', 'x', null),
    ),
    product: fc.constantFrom(null, ...made),
    location: fc.constantFrom(null, { lat: 59.8, lon: -0 }, { lat: -90, lon: 17.6 }),
    applications: fc.subarray([...known]),
  });

/** Documents in which every reference means something. */
export const documents = (people: readonly string[]): Arbitrary<Written> =>
  fc.tuple(some(products, product), fc.subarray(applications)).chain(([made, places]) => {
    const known = Object.keys(made);
    return fc
      .record({
        applications: fc.array(application(known), { minLength: places.length, maxLength: places.length }),
        hooks: dealt(known, places),
        teams: some(teams, team(places, people)),
        devices: some(serials, device(known, places)),
      })
      .map(({ applications: all, hooks: below, ...rest }) => ({
        products: made,
        applications: Object.fromEntries(
          places.map((name, index) => [name, { ...all[index], hooks: Object.fromEntries(below.get(name) ?? []) }]),
        ),
        ...rest,
      })) as Arbitrary<Written>;
  });

/** Faults that a document may have. */
export const faulty = (document: Arbitrary<Written>): Arbitrary<Written> =>
  fc.tuple(document, fc.constantFrom(...mistakes)).map(([written, mistake]) => mistake(structuredClone(written)));

const mistakes: ((written: Written) => Written)[] = [
  (written) => ({ ...written, devices: { ...written['devices'], d0: { product: 'nothing' } } }),
  (written) => ({ ...written, devices: { ...written['devices'], d0: { applications: ['nowhere'] } } }),
  (written) => ({ ...written, devices: { ...written['devices'], 'd-0': {}, D0: {} } }),
  (written) => ({ ...written, devices: { ...written['devices'], 'not a serial': {} } }),
  (written) => ({ ...written, teams: { ...written['teams'], Late: { members: ['nobody-is-this'] } } }),
  (written) => ({ ...written, teams: { ...written['teams'], Late: { applications: { nowhere: 'read' } } } }),
  (written) => ({ ...written, products: { ...written['products'], fan: { name: '', version: '1' } } }),
  (written) => ({
    ...written,
    applications: { ...written['applications'], west: { name: 'W', hooks: { x: { url: 'ftp://x' } } } },
  }),
  (written) => ({
    ...written,
    applications: { ...written['applications'], west: { name: 'W', hasDashboard: true, dashboard: { format: 9 } } },
  }),
  ...[
    { kind: 'silence', silentFor: 1 },
    { kind: 'silence', silentFor: 60, products: ['nothing'] },
    { kind: 'threshold', when: { all: [{ variable: 't', operator: 'gt', value: 'high' }] } },
    { kind: 'threshold', when: { query: { none: {} } } },
  ].map((rule) => (written: Written) => ({
    ...written,
    applications: { ...written['applications'], west: { name: 'W', alertRules: { x: { name: 'X', ...rule } } } },
  })),
];
