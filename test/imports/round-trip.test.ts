import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountActor, useWorld } from '../support/world.js';
import { counts, importing } from './imported.js';
import { dataOf, type Fields, type Json, type Kind, metadata, text, variables } from './round-trip-value.js';

interface Line {
  ts: number;
  data: Fields;
  metadata: Fields;
  frame?: object;
}

const world = useWorld();
const start = 1_700_000_000;

const serials: Readonly<Record<Kind, string>> = { declared: 'd-01', free: 'f-02' };
const kinds: readonly Kind[] = ['declared', 'free'];

interface Side {
  owner: AccountActor;
  applications: Readonly<Record<Kind, string>>;
}

const createSide = async (): Promise<Side> => {
  const owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const product = await owner.make(`${at}/products`, { name: 'Sensor', version: '1', variables });
  const applicationOf = async (kind: Kind) => {
    const application = await owner.make(`${at}/applications`, { name: kind });
    const of = kind === 'declared' ? { product: { id: product } } : {};
    const device = await owner.make(`${at}/devices/${serials[kind]}`, of);
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    return application;
  };
  return { owner, applications: { declared: await applicationOf('declared'), free: await applicationOf('free') } };
};

const exported = async ({ owner, applications }: Side, kind: Kind, parameters: Record<string, string>) => {
  const path = `applications/${owner.id}/${applications[kind]}/export?${new URLSearchParams(parameters)}`;
  const response = await fetch(`${world.url}/ddp/v1/${path}`, { headers: { authorization: `Bearer ${owner.token}` } });
  if (response.status !== 200) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
};

const linesOf = async (side: Side, kind: Kind): Promise<Line[]> =>
  (await exported(side, kind, { format: 'ndjson' }))
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { ts, data, metadata, frame } = JSON.parse(line) as Line;
      return { ts, data, metadata, ...(frame !== undefined && { frame }) };
    });

/** Values by path, without nulls and empty objects, as searches find them. */
const byPath = (of: Json, path = ''): [string, Json][] => {
  if (of === null) return [];
  if (Array.isArray(of)) return of.flatMap((inner) => byPath(inner, path));
  if (typeof of !== 'object') return [[path, of]];
  return Object.entries(of).flatMap(([key, inner]) => byPath(inner, path === '' ? key : `${path}.${key}`));
};
const sorted = (found: [string, Json][]) => found.map((pair) => JSON.stringify(pair)).toSorted();

const texts = new Set(variables.flatMap(({ name, type }) => (type === 'TXT' ? [name] : [])));
/** Fields of a record in a CSV file: a variable that is text has only texts. */
const said =
  (only: RegExp) =>
  ({ ts, data, metadata: about }: Line) => {
    const found = byPath({ data, metadata: about } as Fields).filter(([path]) => only.test(path));
    return [
      ts,
      ...sorted(
        found.map(([path, one]) => [
          path,
          texts.has(path.slice(5)) && typeof one !== 'string' ? JSON.stringify(one) : one,
        ]),
      ),
    ];
  };
const whole = (line: Line): unknown => line;

const declared = variables.map(({ name }) => `data.${name}`);
const free = [
  'number',
  'text',
  'flag',
  'mixed',
  'list',
  'place.lat',
  'place.floor.of',
  'p.q',
  'p',
  'objects.k',
  'objects.l',
];
const chosen: Readonly<Record<Kind, string>> = {
  declared: ['device', 'ts', ...declared, 'data.undeclared', 'metadata.rssi', 'metadata.note'].join(','),
  free: ['device', 'ts', ...free.map((name) => `data.${name}`), 'metadata.rssi', 'metadata.note'].join(','),
};
const wholes = 'cursor,ts,device.serial,data,metadata,frame';
const ofProducts = /^data\.(temperature|count|small|open|label|a\.b|note\.\.text)(\.|$)/;

let from: Side;
let stored: Readonly<Record<Kind, Line[]>>;

beforeAll(async () => {
  from = await createSide();
  for (const kind of kinds) {
    const records = fc.sample(fc.record({ data: dataOf[kind], metadata }), { numRuns: 150, seed: 51 });
    const { body } = await from.owner.post<{ accepted: number }>(
      `/organizations/${from.owner.id}/records`,
      records.map((record, index) => ({ serial: serials[kind], ts: start + index * 60 + 0.000001 * index, ...record })),
    );
    expect(body.accepted).toBe(150);
  }
  await from.owner.post(`/organizations/${from.owner.id}/records`, [
    { serial: serials.declared, ts: start - 60, frame: { streamId: 1, streamType: 'BIN', payload: '0d37' } },
    {
      serial: serials.declared,
      ts: start - 50,
      frame: { streamId: 9, streamType: 'RAW', payload: '0102' },
      data: { count: 1 },
    },
  ]);
  // A frame without a stream, as network servers send it.
  await from.owner.post(`/organizations/${from.owner.id}/ingest/chirpstack?event=up`, {
    deduplicationId: 'one',
    time: new Date((start - 40) * 1000).toISOString(),
    deviceInfo: { devEui: serials.free },
    data: 'AQI=',
    object: { number: 3 },
  });
  stored = { declared: await linesOf(from, 'declared'), free: await linesOf(from, 'free') };
  expect([stored.declared.length, stored.free.length]).toEqual([152, 151]);
}, 60_000);

type Case = [name: string, parameters: Record<string, string>, view: (kind: Kind) => (line: Line) => unknown];

const flat: Case[2] = (kind) => said(kind === 'declared' ? ofProducts : /^data\./);
const flatChosen: Case[2] = () => said(/^(data|metadata\.(rssi|note))\b/);
const cases: Case[] = [
  ['CSV', {}, flat],
  ['CSV in a time zone, with a byte order mark', { timeZone: 'Europe/Berlin', bom: 'true' }, flat],
  ['CSV with chosen columns', { columns: 'chosen' }, flatChosen],
  ['CSV with whole objects', { columns: wholes }, () => whole],
  ['NDJSON', { format: 'ndjson' }, () => whole],
  ['NDJSON in a time zone', { format: 'ndjson', timeZone: '+05:30' }, () => whole],
  ['NDJSON with chosen columns', { format: 'ndjson', columns: 'chosen' }, flatChosen],
  ['NDJSON with whole objects', { format: 'ndjson', columns: wholes, timeZone: 'UTC' }, () => whole],
  ['Parquet with whole objects', { format: 'parquet', columns: wholes }, () => whole],
];

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

interface Hit {
  _ignored?: string[];
  fields?: Record<string, Json[]>;
  sort: unknown[];
}

const hitsOf = async ({ owner, applications }: Side, kind: Kind, paths: readonly string[]): Promise<Hit[]> => {
  const { body } = await owner.post<any>(`/applications/${owner.id}/${applications[kind]}/search`, {
    ts: { gte: start - 100, lte: start + 100_000 },
    queries: [{ products: [], size: 500, sort: [{ ts: 'asc' }], _source: false, fields: paths }],
  });
  return body.responses[0].hits.hits;
};

/** Fields of a hit that Parquet has in its columns: only texts may be lists. */
const typedFields = ({ fields = {}, sort }: Hit, { _ignored = [] }: Hit) => [
  sort,
  Object.entries(fields)
    .filter(([path, of]) => !_ignored.includes(path) && (of.length < 2 || path === 'data.label'))
    .toSorted(),
];

describe('an export that is imported by another organization', () => {
  it.each(cases)(
    'has the same values there, as %s',
    async (_name, parameters, view) => {
      const to = await createSide();
      const files = importing({ id: to.owner.id, owner: to.owner });
      const format = parameters['format'] ?? 'csv';
      for (const kind of kinds) {
        const asked = parameters['columns'] === 'chosen' ? { ...parameters, columns: chosen[kind] } : parameters;
        const file = await exported(from, kind, asked);
        const done = await files.whole('/records?dryRun=false', file, { 'content-type': types[format]! });
        expect(done.faults).toEqual([]);
        expect(counts(done)).toMatchObject({ created: stored[kind].length, rejected: 0 });
        expect((await linesOf(to, kind)).map(view(kind))).toEqual(stored[kind].map(view(kind)));
      }
    },
    60_000,
  );

  it.each([
    ['the default', undefined],
    ['chosen', 'chosen'],
  ])(
    'has the same values there for searches, as Parquet with %s columns',
    async (_name, columns) => {
      const to = await createSide();
      const files = importing({ id: to.owner.id, owner: to.owner });
      const paths = {
        declared,
        free: ['number', 'text', 'flag', 'place.lat', 'place.floor.of', 'p.q', 'p'].map((name) => `data.${name}`),
      };
      for (const kind of kinds) {
        const file = await exported(from, kind, { format: 'parquet', ...(columns && { columns: chosen[kind] }) });
        const done = await files.whole('/records?dryRun=false', file, { 'content-type': types['parquet']! });
        expect([done.created, done.faults]).toEqual([stored[kind].length, []]);
        const before = await hitsOf(from, kind, paths[kind]);
        const after = await hitsOf(to, kind, paths[kind]);
        expect(after.map((hit, index) => typedFields(hit, before[index]!))).toEqual(
          before.map((hit) => typedFields(hit, hit)),
        );
      }
    },
    60_000,
  );
});

describe('an export of devices', () => {
  it('changes nothing when it is imported again, and creates the same devices in another organization', async () => {
    const [one, other] = [await world.organization(), await world.organization()];
    const names = fc.sample(text, { numRuns: 60, seed: 51 });
    const made = await Promise.all(
      names.map((name, index) =>
        one.post(`/organizations/${one.id}/devices/e-${index}`, {
          name,
          tags: [`tag;${index}`, name].filter((tag) => tag.trim() !== ''),
          location: { lat: index * 1e-8, lon: -1 - index / 3 },
        }),
      ),
    );
    const stored = made.filter(({ status }) => status === 200).length;
    expect(stored).toBeGreaterThan(40);
    const download = async (owner: AccountActor, parameters: Record<string, string> = {}) =>
      (await owner.get<string>(`/organizations/${owner.id}/export?${new URLSearchParams(parameters)}`)).body;
    const file = await download(one);
    const again = await importing({ id: one.id, owner: one }).whole('/devices?dryRun=false&clearEmpty=true', file);
    expect(again).toMatchObject({ lines: stored, unchanged: stored, faults: [] });
    const created = await importing({ id: other.id, owner: other }).whole('/devices?dryRun=false', file);
    expect(created).toMatchObject({ created: stored, faults: [] });
    const columns = { columns: 'serial,name,tags,location.lat,location.lon' };
    expect((await download(other, columns)).split('\r\n').toSorted()).toEqual(
      (await download(one, columns)).split('\r\n').toSorted(),
    );
  });
});
