import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { Role } from '#entities/enums.js';
import { parseDocument } from '../../src/clients/configuration/document.js';
import { type Outcome, runCommand } from '../support/command.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let folder: string;
let owner: AccountActor;
let at: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'configuration-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const ddp = (...args: string[]): Promise<Outcome> => runCommand(args, { ORIGIN: world.url, DDP_TOKEN: owner.token! });

const file = async (document: object | string, name = 'ddp.yaml'): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, typeof document === 'string' ? document : stringify(document));
  return path;
};

const apply = async (document: object, ...options: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await ddp('apply', await file(document), ...options);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trimEnd().split('\n');
};

const names = async (what: string) =>
  (await owner.get<{ name?: string; serial?: string }[]>(`${at}/${what}?limit=100&sort=id`)).body.map(
    ({ serial, name }) => serial ?? name,
  );

const organization = (username: string) => ({
  products: {
    thermometer: { name: 'Thermometer', version: '1', variables: [{ name: 't', type: 'FLOAT32', unit: 'C' }] },
  },
  applications: {
    cold: {
      name: 'Cold store',
      description: 'North',
      hooks: { erp: { url: 'http://127.0.0.1:9/', concurrency: 2, filter: { products: ['thermometer'] } } },
    },
    warm: { name: 'Warm store' },
  },
  teams: { Crew: { description: 'Night', members: [username], applications: { cold: 'write' } } },
  devices: {
    'a0-01': { name: 'Freezer', tags: ['roof'], product: 'thermometer', applications: ['cold', 'warm'] },
    'a0-02': { location: { lat: 59.8, lon: 17.6 } },
  },
});

/** The organization of a document, with the username of a member. */
async function usual() {
  const { id } = await world.member(owner, Role.member);
  const members = (await owner.get<{ id: string; username: string }[]>(`${at}/members`)).body;
  return organization(members.find((each) => each.id === id)!.username);
}

describe('ddp apply', () => {
  it('says what it creates, creates it, and does nothing the second time', async () => {
    const document = await usual();
    const username = document.teams.Crew.members[0]!;
    expect(await apply(document, '--dry-run')).toHaveLength(11);
    expect(await names('products')).toEqual([]);
    expect(await apply(document)).toEqual([
      '+ product thermometer',
      '+ application cold',
      '+ hook erp of cold',
      '+ application warm',
      '+ team Crew',
      `+ member ${username} of Crew`,
      '+ grant cold of Crew',
      '+ device a0-01',
      '+ link cold of a0-01',
      '+ link warm of a0-01',
      '+ device a0-02',
      'Done: 11 of 11.',
    ]);
    expect(await names('devices')).toEqual(['a0-01', 'a0-02']);
    expect(await apply(document)).toEqual(['Nothing to do.']);
    expect(await apply(document, '--prune')).toEqual(['Nothing to do.']);
  });

  it('changes what differs, keeps what the file leaves out, and removes with --prune only', async () => {
    const document = await usual();
    await apply(document);
    const { thermometer } = document.products;
    const changed = {
      products: { thermometer: { ...thermometer, version: '2' } },
      applications: { cold: { name: 'Cold store', hooks: { erp: { url: 'http://127.0.0.1:9/other' } } } },
      teams: { Crew: { members: [], applications: { cold: 'read' } } },
      devices: { A001: { tags: ['cellar'], applications: ['cold'] } },
    };
    expect(await apply(changed)).toEqual([
      '~ product thermometer: version',
      '~ hook erp of cold: url',
      '~ grant cold of Crew: permission',
      '~ device A001: tags',
      'Done: 4 of 4.',
    ]);
    expect(await apply(changed)).toEqual(['Nothing to do.']);
    const username = document.teams.Crew.members[0]!;
    expect(await apply(changed, '--prune')).toEqual([
      '- application warm',
      `- member ${username} of Crew`,
      '- link warm of a0-01',
      '- device a0-02',
      'Done: 4 of 4.',
    ]);
    expect(await apply(changed, '--prune')).toEqual(['Nothing to do.']);
    expect(await names('devices')).toEqual(['a0-01']);
    const nothing = { products: {}, applications: {}, teams: {}, devices: {} };
    expect((await apply(nothing, '--prune')).at(-1)).toBe('Done: 5 of 5.');
    for (const what of ['products', 'applications', 'teams', 'devices']) expect(await names(what)).toEqual([]);
  });

  it('saves dashboards, with keys of products, and exports them for another organization', async () => {
    const place = { id: 'p1', title: '', x: 0, y: 0, w: 6, h: 6 };
    const source = { product: 'thermometer', variable: 'data.t', label: '' };
    const dashboard = (draw: string) => ({
      format: 1,
      range: '24h',
      variables: [{ name: 'kind', kind: 'product', default: 'thermometer' }],
      panels: [
        { ...place, kind: 'series', sources: [source, { product: '$kind', variable: 'data.t' }], draw, bands: [] },
      ],
    });
    const { products } = organization('nobody');
    const document = (draw: string) => ({
      products,
      applications: { cold: { name: 'Cold store', hasDashboard: true, dashboard: dashboard(draw) } },
    });
    const lines = ['+ product thermometer', '+ application cold', '+ dashboard cold', 'Done: 3 of 3.'];
    expect(await apply(document('line'))).toEqual(lines);
    expect(await apply(document('line'))).toEqual(['Nothing to do.']);
    expect(await apply(document('bar'))).toEqual(['~ dashboard cold: panels', 'Done: 1 of 1.']);
    const applications = { cold: { name: 'Cold store' } };
    expect(await apply({ applications }, '--prune')).toEqual(['Nothing to do.']);
    const exported = parse((await ddp('export-configuration')).stdout) as ReturnType<typeof document>;
    expect(exported.applications.cold.dashboard).toEqual(dashboard('bar'));
    const { body } = await owner.graph(
      '{ account { products { items { id } } applications { items { dashboard { version document } } } } }',
    );
    const [stored] = body.data!['account'].applications.items;
    expect(stored.dashboard.version).toBe(2);
    expect(stored.dashboard.document.panels[0].sources[0].product).toBe(body.data!['account'].products.items[0].id);
    owner = await world.organization();
    expect(await apply(exported)).toEqual(lines);
  });

  it('says what is wrong with a dashboard, and does the rest', async () => {
    const document = {
      applications: {
        a: { name: 'A', hasDashboard: true, dashboard: { format: 2, panels: [null, { sources: [null] }] } },
      },
    };
    const { code, stderr } = await ddp('apply', await file(document));
    expect(code).toBe(1);
    expect(stderr).toContain('+ dashboard a: ');
    expect(stderr).toContain('document.format');
    expect(await names('applications')).toEqual(['A']);
  });

  it('does what it can, says what failed, and ends with 1', async () => {
    const document = { applications: { a: { name: 'A' }, b: { name: '' } }, devices: { xyz: {}, 'a0-01': {} } };
    const { code, stdout, stderr } = await ddp('apply', await file(document));
    expect(code).toBe(1);
    expect(stdout).toContain('Done: 2 of 4.');
    expect(stderr).toContain('+ application b: ');
    expect(stderr).toContain('+ device xyz: ');
    expect(await names('applications')).toEqual(['A']);
  });

  it('says in a dry run what would fail, and changes nothing', async () => {
    const document = {
      products: { a: { name: 'A', version: 1, variables: [] }, b: { name: 'B', version: '1', variables: [] } },
      devices: { xyz: {}, 'a0-01': { product: 'b' } },
    };
    const { code, stdout, stderr } = await ddp('apply', await file(document), '--dry-run');
    expect([code, stdout]).toEqual([1, '+ product a\n+ product b\n+ device xyz\n+ device a0-01\n']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^\+ product a: /),
      expect.stringMatching(/^\+ device xyz: /),
    ]);
    for (const what of ['products', 'devices']) expect(await names(what)).toEqual([]);
  });

  it.each([
    ['a section that there is not', 'things: {}', '"things" is not a section'],
    ['a field that there is not', 'products: { a: { color: red } }', 'products.a.color'],
    ['a secret of a hook', 'applications: { a: { hooks: { h: { authentication: {} } } } }', 'hooks.h.authentication'],
    ['a key that comes twice', 'products: {}\nproducts: {}', 'unique'],
    ['more than 20 levels', `products: ${'['.repeat(30)}${']'.repeat(30)}`, 'levels deep'],
    [
      'aliases that multiply',
      `a: &a [x, x]\n${Array.from({ length: 9 }, (_, n) => `b${n}: &b${n} [${`*${n === 0 ? 'a' : `b${n - 1}`}, `.repeat(9)}]`).join('\n')}`,
      'alias',
    ],
  ])('refuses %s before it calls the service', async (_what, text, message) => {
    const { code, stderr } = await ddp('apply', await file(text));
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('ddp export-configuration', () => {
  it('writes what apply takes, so that applying it changes nothing', async () => {
    await apply(await usual());
    const { stdout } = await ddp('export-configuration', '--devices');
    expect(parse(stdout)).toMatchObject({
      products: { thermometer: { version: '1' } },
      applications: { cold: { hooks: { erp: { filter: { products: ['thermometer'] } } } } },
      devices: { 'a0-01': { product: 'thermometer', applications: ['cold', 'warm'] } },
    });
    expect(stdout).not.toContain('id:');
    const { stdout: again } = await ddp('apply', await file(stdout), '--prune');
    expect(again).toBe('Nothing to do.\n');
  });

  it('quotes texts such as yes and 012, which YAML 1.1 would read as other values', async () => {
    const document = { teams: { yes: { description: 'on' }, '2026-01-01': { description: '0o17' }, '012': {} } };
    await apply(document);
    const { stdout } = await ddp('export-configuration');
    expect(parse(stdout, { version: '1.1' })).toEqual(parse(stdout));
    expect(parse(stdout)).toMatchObject({
      teams: { yes: { description: 'on' }, '2026-01-01': { description: '0o17' } },
    });
  });

  it('exports things without a key under readable keys, which applying the export stores', async () => {
    const id = await owner.make(`${at}/applications`, { name: 'Cold store' });
    await owner.make(`${at}/applications`, { name: 'Cold store' });
    await owner.make(`/applications/${owner.id}/${id}/hooks`, { url: 'http://127.0.0.1:9/' });
    const { stdout } = await ddp('export-configuration', '--json');
    const path = await file(stdout, 'ddp.json');
    expect(Object.keys((JSON.parse(stdout) as { applications: object }).applications)).toEqual([
      'cold-store',
      'cold-store-2',
    ]);
    expect((await ddp('apply', path)).stdout.trimEnd().split('\n')).toEqual([
      '~ application cold-store: externalId',
      '~ hook hook of cold-store: externalId',
      '~ application cold-store-2: externalId',
      'Done: 3 of 3.',
    ]);
    expect((await ddp('apply', path, '--prune')).stdout).toBe('Nothing to do.\n');
    expect(await names('applications')).toEqual(['Cold store', 'Cold store']);
  });

  it('copies one organization to another', async () => {
    const document = await usual();
    await apply(document);
    const { stdout } = await ddp('export-configuration', '--devices');
    owner = await world.organization();
    at = `/organizations/${owner.id}`;
    const { teams, ...rest } = parse(stdout) as { teams: object };
    expect(Object.keys(teams)).toEqual(['Crew']);
    await apply(rest);
    expect(await names('devices')).toEqual(['a0-01', 'a0-02']);
    const { stdout: copied } = await ddp('export-configuration', '--devices');
    expect(parse(copied)).toEqual({ ...rest, teams: {} });
  });
});

describe('the file of ddp apply', () => {
  it('reads 40,000 devices as YAML in less than 5 s of processor time', async () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `  ${index.toString(16)}:`);
    const before = process.threadCpuUsage();
    const { devices } = await parseDocument(`devices:\n${keys.join('\n')}\n`, false);
    const { user, system } = process.threadCpuUsage(before);
    expect(Object.keys(devices!)).toHaveLength(40_000);
    expect((user + system) / 1e6).toBeLessThan(5);
  }, 60_000);

  it('keeps keys as they are written, though they look like numbers', async () => {
    const { devices } = await parseDocument('devices:\n  12e5: { name: A }\n  0123: { name: B }\n', false);
    expect(devices).toEqual({ '12e5': { name: 'A' }, '0123': { name: 'B' } });
  });

  it.each([
    ['a key twice in two spellings', 'devices:\n  0a: {}\n  "0a": {}\n', /"0a" occurs twice/],
    ['10,000 levels', `products: ${'['.repeat(10_000)}`, /more than 20 levels deep/],
    ['a value inside itself', 'products: &a\n  x: *a\n', /more than 20 levels deep/],
  ])('throws for %s', async (_, text, message) => {
    await expect(parseDocument(text, false)).rejects.toThrow(message);
  });
});
