import { beforeAll, describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import { useWorld, type World } from '../support/world.js';
import { figure, makeApplication, readDashboard, save, saved } from './dashboard.js';

const world = useWorld();
let owner: Awaited<ReturnType<World['organization']>>;
let id: string;

beforeAll(async () => {
  owner = await world.organization();
  id = await makeApplication(owner);
});

const place = { id: 'p1', title: '', x: 0, y: 0, w: 12, h: 24 };
const source = { variable: 'data.t' };
const series = { ...place, kind: 'series', sources: [source], draw: 'line' };
const query = { aggs: { a: { terms: { field: 'data.t' }, aggs: { b: { avg: { field: 'data.t' } } } } } };
const dashboardWith = (more: object) => ({ format: 1, range: '24h', variables: [], panels: [], ...more });
const repeated = (count: number, each: object) => Array.from({ length: count }, () => each);
const panels = (...each: object[]) => dashboardWith({ panels: each });

/** A document that uses every field. */
const full = {
  format: 1,
  range: '90d',
  variables: [
    { name: 'room', kind: 'tag', default: 'cellar' },
    { name: 'device', kind: 'device' },
    { name: 'kind', kind: 'product' },
    { name: 'building', kind: 'site' },
  ],
  panels: [
    {
      ...series,
      id: 'series',
      sources: [
        { devices: ['$device', 'gone'], variable: 'data.t', unit: '°C', label: 'Here' },
        { tag: '$room', variable: 'data.t' },
        { product: '$kind', variable: 'data.t' },
        { site: '$building', variable: 'data.t' },
      ],
      draw: 'area',
      aggregate: 'count',
      bands: [
        { from: -1.5, severity: 'info' },
        { to: 8, severity: 'warning' },
        { from: 8, to: 9, severity: 'critical' },
      ],
      min: -20,
      max: 1e300,
    },
    { ...series, id: 'spread', combine: 'spread', every: 'week' },
    { ...series, id: 'increase', aggregate: 'increase', split: 'device', every: 'day' },
    { ...series, id: 'before', combine: 'avg', compare: 'year' },
    { ...figure, id: 'figure', trend: false, bands: [] },
    { ...figure, id: 'median', combine: 'p50', compare: 'previous' },
    { ...place, id: 'table', kind: 'table', sources: [source] },
    { ...place, id: 'map', kind: 'map', tag: 'cold' },
    { ...place, id: 'everywhere', kind: 'map' },
    { ...place, id: 'timeline', kind: 'timeline', sources: [source] },
    { ...place, id: 'top', kind: 'top', source, aggregate: 'last', order: 'lowest', size: 50 },
    {
      ...place,
      id: 'groups',
      kind: 'top',
      source,
      aggregate: 'sum',
      order: 'highest',
      size: 1,
      combine: 'sum',
      split: 'tag',
    },
    { ...place, id: 'query', kind: 'query', query: { ...query, products: ['$kind'], size: 0 }, show: 'bars' },
    { ...place, id: 'text', kind: 'text', text: '<script>alert(1)</script> https://example.com '.repeat(200) },
  ],
};

/** Returns the faults of a document by path, with their messages. */
async function faultsOf(document: unknown): Promise<string[][]> {
  const { body } = await save(owner, { owner, id, version: 0, document });
  const [error] = body.errors ?? [];
  expect(error?.extensions.code).toBe('VALIDATION_FAILED');
  return (error!.extensions.errors as { path: string; message: string }[]).map(({ path, message }) => [path, message]);
}

describe('document of a dashboard', () => {
  it('holds panels of every kind, and is answered as it was sent', async () => {
    const other = await makeApplication(owner);
    expect(await saved(owner, { owner, id: other, version: 0, document: full })).toBe(1);
    const stored = await readDashboard(owner, other);
    expect(JSON.stringify(stored!.document)).toBe(JSON.stringify(full));
  });

  it.each(['today', 'yesterday', 'this-week', 'last-week', 'this-month', 'last-month', 'this-year', 'last-year'])(
    'opens with the range %s of the calendar',
    async (range) => {
      const other = await makeApplication(owner);
      expect(await saved(owner, { owner, id: other, version: 0, document: dashboardWith({ range }) })).toBe(1);
    },
  );

  it('accepts a GraphQL literal', async () => {
    const other = await makeApplication(owner);
    const { body } = await owner.graph(
      `mutation ($o: ID!, $a: ID!) { updateDashboard(organizationId: $o, applicationId: $a, version: 0, document: {
        format: 1, range: "1h", variables: [], panels: [{ id: "m", kind: "map", title: "", x: 0, y: 0, w: 6, h: 6 }] }) { document } }`,
      { o: owner.id, a: other },
    );
    expect(body.data!['updateDashboard'].document).toMatchObject({ range: '1h', panels: [{ id: 'm' }] });
  });

  it.each<[string, unknown, string, string]>([
    ['a text', 'x', 'document', 'must be an object'],
    ['a list', [], 'document', 'must be an object'],
    ['an empty object', {}, 'document.format', 'is missing'],
    ['another format', dashboardWith({ format: 2 }), 'document.format', 'must be 1'],
    ['a format that is text', dashboardWith({ format: '1' }), 'document.format', 'must be 1'],
    ['another range', dashboardWith({ range: '2h' }), 'document.range', 'must be "1h" or '],
    ['an unknown field', dashboardWith({ owner: 1 }), 'document.owner', 'is an unknown field'],
    ['a field that is null', panels({ ...series, min: null }), 'document.panels.0.min', 'must be a number'],
    ['panels that are no list', dashboardWith({ panels: {} }), 'document.panels', 'must be a list of 0 to 24 items'],
    ['25 panels', panels(...repeated(25, series)), 'document.panels', 'must be a list of 0 to 24 items'],
    ['a panel that is null', panels(null as never), 'document.panels.0', 'must be an object'],
    ['a panel without a kind', panels(place), 'document.panels.0.kind', 'must be "series" or '],
    ['a kind of the prototype', panels({ ...place, kind: 'constructor' }), 'document.panels.0.kind', 'must be'],
    ['a panel of two ids', panels(series, series), 'document.panels.1.id', 'is used twice'],
    ['a bad id', panels({ ...series, id: 'P 1' }), 'document.panels.0.id', 'must be 1 to 32'],
    ['a panel beyond the grid', panels({ ...series, x: 6, w: 7 }), 'document.panels.0.w', 'must end within'],
    ['half a column', panels({ ...series, x: 0.5 }), 'document.panels.0.x', 'must be a whole number'],
    ['a height of 25', panels({ ...series, h: 25 }), 'document.panels.0.h', 'must be a whole number from 1 to 24'],
    ['a field of another kind', panels({ ...series, text: '' }), 'document.panels.0.text', 'is an unknown field'],
    ['13 sources', panels({ ...series, sources: repeated(13, source) }), 'document.panels.0.sources', '1 to 12'],
    ['no source', panels({ ...series, sources: [] }), 'document.panels.0.sources', '1 to 12'],
    [
      'a source without a variable',
      panels({ ...series, sources: [{ tag: 'x' }] }),
      'document.panels.0.sources.0.variable',
      'is missing',
    ],
    [
      'a tag and a product',
      panels({ ...series, sources: [{ ...source, tag: 'x', product: 'y' }] }),
      'document.panels.0.sources.0',
      'takes only one of tag, product',
    ],
    [
      '21 devices',
      panels({ ...place, kind: 'map', devices: Array(21).fill('x') }),
      'document.panels.0.devices',
      '1 to 20',
    ],
    [
      'devices and a tag of a map',
      panels({ ...place, kind: 'map', devices: ['x'], tag: 'y' }),
      'document.panels.0',
      'only one',
    ],
    [
      'a number of a query that loses digits',
      panels({ ...place, kind: 'query', show: 'bars', query: { ...query, query: { term: { 'data.n': 2 ** 53 } } } }),
      'document.panels.0.query',
      '`data.n` must be sent as text',
    ],
    ['a split of nothing', panels({ ...series, split: 'tag' }), 'document.panels.0.split', 'needs combine'],
    ['days of nothing', panels({ ...series, every: 'day' }), 'document.panels.0.every', 'needs combine'],
    [
      'a spread that is split',
      panels({ ...series, combine: 'spread', split: 'tag' }),
      'document.panels.0.split',
      'must be absent',
    ],
    ['a comparison of nothing', panels({ ...figure, compare: 'year' }), 'document.panels.0.compare', 'needs combine'],
    [
      'a comparison that is split',
      panels({ ...series, combine: 'sum', split: 'site', compare: 'previous' }),
      'document.panels.0.compare',
      'must be absent with split',
    ],
    [
      'a comparison with another range',
      panels({ ...series, combine: 'sum', compare: 'month' }),
      'document.panels.0.compare',
      'must be "previous" or "year"',
    ],
    [
      'a comparison of a table',
      panels({ ...place, kind: 'table', sources: [source], compare: 'year' }),
      'document.panels.0.compare',
      'is an unknown field',
    ],
    ['a spread as a number', panels({ ...figure, combine: 'spread' }), 'document.panels.0.combine', 'must be "sum"'],
    [
      'a variable of another kind',
      panels({ ...place, kind: 'map', site: '$room' }),
      'document.panels.0.site',
      'names no variable',
    ],
    ['an unknown variable', panels({ ...place, kind: 'map', tag: '$x' }), 'document.panels.0.tag', 'names no variable'],
    [
      'a variable of another kind',
      { ...full, panels: [{ ...place, kind: 'map', devices: ['a', '$room'] }] },
      'document.panels.0.devices.1',
      'names no variable of kind device',
    ],
    [
      'two variables of one name',
      dashboardWith({ variables: repeated(2, { name: 'a', kind: 'tag' }) }),
      'document.variables.1.name',
      'is used twice',
    ],
    [
      '9 variables',
      dashboardWith({ variables: repeated(9, { name: 'a', kind: 'tag' }) }),
      'document.variables',
      '0 to 8',
    ],
    [
      'a band without bounds',
      panels({ ...series, bands: [{ severity: 'info' }] }),
      'document.panels.0.bands.0',
      'needs from',
    ],
    [
      'a band upside down',
      panels({ ...series, bands: [{ from: 2, to: 1, severity: 'info' }] }),
      'document.panels.0.bands.0.to',
      'must be greater',
    ],
    ['a maximum below the minimum', panels({ ...series, min: 1, max: 0 }), 'document.panels.0.max', 'must be greater'],
    ['a long title', panels({ ...series, title: 'x'.repeat(201) }), 'document.panels.0.title', '0 to 200 characters'],
    ['a long text', panels({ ...place, kind: 'text', text: 'x'.repeat(10_001) }), 'document.panels.0.text', '10000'],
    ['a NUL in a text', panels({ ...place, kind: 'text', text: 'a\0b' }), 'document', 'must not hold NUL'],
    ['half a character', panels({ ...place, kind: 'text', text: '\ud800' }), 'document', 'must not hold NUL'],
    ['a NUL in a key', dashboardWith({ 'a\0': 1 }), 'document', 'must not hold NUL'],
    ['a long key', dashboardWith({ ['x'.repeat(201)]: 1 }), 'document', 'no key of more than 200 characters'],
    [
      'a query of two levels of buckets',
      panels({ ...place, kind: 'query', show: 'table', query: { aggs: { a: { ...query.aggs.a, aggs: query.aggs } } } }),
      'document.panels.0.query.aggs.a.aggs.a.terms',
      'makes buckets in buckets',
    ],
    [
      'a query without aggregations',
      panels({ ...place, kind: 'query', show: 'table', query: {} }),
      'document.panels.0.query.aggs',
      'must hold an aggregation',
    ],
    [
      'a query that searches refuse',
      panels({ ...place, kind: 'query', show: 'table', query: { ...query, query: { nonsense: {} } } }),
      'document.panels.0.query.query.nonsense',
      'unknown query [nonsense]',
    ],
    [
      'a query with hits',
      panels({ ...place, kind: 'query', show: 'table', query: { ...query, sort: ['ts'] } }),
      'document.panels.0.query.sort',
      'is an unknown field',
    ],
    [
      'a long query',
      panels({
        ...place,
        kind: 'query',
        show: 'table',
        query: { ...query, query: { terms: { a: Array(8000).fill('x') } } },
      }),
      'document.panels.0.query',
      '16384 characters',
    ],
  ])('refuses %s', async (_name, document, path, message) => {
    const [first] = await faultsOf(document);
    expect(first).toEqual([path, expect.stringContaining(message)]);
  });

  it('names each of several faults, up to 20', async () => {
    const faults = await faultsOf(panels({ ...series, x: -1, h: 0 }, { ...figure, id: '' }));
    expect(faults.map(([path]) => path)).toEqual([
      'document.panels.0.x',
      'document.panels.0.h',
      'document.panels.1.id',
    ]);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_each, n) => [`field${n}`, n]));
    expect(await faultsOf(dashboardWith(many))).toHaveLength(20);
  });

  it.each([
    [
      'too many bytes',
      panels(
        ...Array.from({ length: 24 }, (_each, n) => ({ ...place, id: `p${n}`, kind: 'text', text: '☃'.repeat(9000) })),
      ),
      '256 KiB',
    ],
    ['too many values', dashboardWith({ panels: Array(20_001).fill(0) }), '20000 values'],
    ['a depth of 21', dashboardWith({ panels: JSON.parse('['.repeat(20) + ']'.repeat(20)) }), 'nest at most 20 deep'],
    [
      'a depth of 3,000',
      dashboardWith({ panels: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) }),
      'nest at most 20 deep',
    ],
  ])('refuses %s before it looks closer', async (_name, document, message) => {
    expect(await faultsOf(document)).toEqual([['document', expect.stringContaining(message)]]);
  });

  it.each([
    [
      'a key `__proto__`',
      `{"format": 1, "range": "24h", "variables": [], "panels": [], "__proto__": {"x": 1}}`,
      'document.__proto__',
    ],
    [
      'a number beyond a double',
      `{"format": 1, "range": "24h", "variables": [], "panels": [${JSON.stringify({ ...series, min: 0 }).replace('"min":0', '"min":1e400')}]}`,
      'document.panels.0.min',
    ],
  ])('refuses %s', async (_name, json, path) => {
    const mutation = `mutation ($o: ID!, $a: ID!, $d: JSON!) { updateDashboard(organizationId: $o, applicationId: $a, version: 0, document: $d) { version } }`;
    const body = `{"query": ${JSON.stringify(mutation)}, "variables": {"o": "${owner.id}", "a": "${id}", "d": ${json}}}`;
    const answer = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body,
    });
    const { errors } = (await answer.json()) as GraphAnswer;
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }]);
  });
});
