import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type Outcome, runCommand } from '../support/command.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { Organization } from './organization.js';

const world = useWorld();
let folder: string;
let owner: AccountActor;
let at: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

const ddp = (...args: string[]): Promise<Outcome> => runCommand(args, { ORIGIN: world.url, DDP_TOKEN: owner.token! });

/** Applies a document as the command does, but in this process, which takes a tenth of the time. */
async function run(document: object | string, ...options: string[]): Promise<Outcome> {
  const dryRun = options.includes('--dry-run');
  try {
    const { lines, done, faults } = await organization().apply(document, {
      prune: options.includes('--prune'),
      dryRun,
    });
    const end = lines.length === 0 ? ['Nothing to do.'] : dryRun ? [] : [`Done: ${done} of ${lines.length}.`];
    return { code: faults.length > 0 ? 1 : 0, stdout: [...lines, ...end].join('\n'), stderr: faults.join('\n') };
  } catch (error) {
    return { code: 1, stdout: '', stderr: (error as Error).message };
  }
}

const organization = () => new Organization(world.url, owner);

const apply = async (document: object | string, ...options: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await run(document, ...options);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trimEnd().split('\n');
};

/** Applies a document that has a fault. Returns what is printed on stderr, after the same fault in a dry run. */
const refuse = async (document: object, ...options: string[]): Promise<string> => {
  const dry = await run(document, '--dry-run', ...options);
  const { code, stderr } = await run(document, ...options);
  expect([dry.code, dry.stderr, code]).toEqual([1, stderr, 1]);
  return stderr.trimEnd();
};

const exported = () => organization().export();

const application = { cold: { name: 'Cold store' } };
const hook = { url: 'http://127.0.0.1:9/' };

async function username(): Promise<string> {
  const { id } = await world.member(owner, Role.member);
  const { body } = await owner.get<{ id: string; username: string }[]>(`${at}/members?limit=100`);
  return body.find((each) => each.id === id)!.username;
}

describe('ddp apply with references', () => {
  it('recognizes one thing by its identifier and by its key', async () => {
    await apply({
      applications: application,
      teams: { Crew: { applications: { cold: 'read' } } },
      devices: { a0: { applications: ['cold'] } },
    });
    const { body } = await owner.get<{ id: string }[]>(`${at}/applications`);
    const id = body[0]!.id;
    const named = { teams: { Crew: { applications: { [id]: 'read' } } }, devices: { A0: { applications: [id] } } };
    expect(await apply(named)).toEqual(['Nothing to do.']);
    expect(await apply(named, '--prune')).toEqual(['Nothing to do.']);
    expect(await apply({ teams: { Crew: { applications: { [id]: 'write' } } } }, '--prune')).toEqual([
      `~ grant ${id} of Crew: permission`,
      'Done: 1 of 1.',
    ]);
    expect((await exported()).teams).toMatchObject({ Crew: { applications: { cold: 'write' } } });
    const twice = { teams: { Crew: { applications: { [id]: 'read', cold: 'write' } } } };
    expect(await refuse(twice, '--prune')).toContain('is the same application as teams.Crew.applications.');
  });

  it.each([
    [
      'two spellings of a serial',
      { devices: { 'a0-01': {}, A001: {} } },
      'devices.A001: is the same device as devices.a0-01',
    ],
    [
      'one key of hooks in two applications',
      { applications: { a: { name: 'A', hooks: { h: hook } }, b: { name: 'B', hooks: { h: hook } } } },
      'applications.b.hooks.h: is the same hook as applications.a.hooks.h',
    ],
    [
      'an unknown application of a device',
      { devices: { a0: { applications: ['cald'] } } },
      'devices.a0.applications: there is no application "cald"',
    ],
    [
      'an unknown application of a team',
      { teams: { Crew: { applications: { cald: 'read' } } } },
      'there is no application "cald"',
    ],
    [
      'an unknown product of a device',
      { devices: { a0: { product: 'pump' } } },
      'devices.a0.product: there is no product "pump"',
    ],
    [
      'an unknown product of a hook',
      { applications: { a: { name: 'A', hooks: { h: { ...hook, filter: { products: ['pump'] } } } } } },
      'applications.a.hooks.h.filter: there is no product "pump"',
    ],
    [
      'an unknown member',
      { teams: { Crew: { members: ['nobody-at-all'] } } },
      'teams.Crew.members: no member of the organization has the username "nobody-at-all"',
    ],
  ])('refuses %s, also in a dry run, and does nothing', async (_what, document, message) => {
    expect(await refuse({ products: { p: { name: 'P', version: '1' } }, ...document }, '--prune')).toContain(message);
    expect(await exported()).toEqual({ products: {}, applications: {}, sites: {}, teams: {}, devices: {} });
  });

  it('refuses a key that a JSON file has twice', async () => {
    const path = join(folder, 'twice.json');
    await writeFile(path, '{"devices": {"a0": {"name": "\\"{:"}, "a\\u0030": {}}}');
    expect(await ddp('apply', path)).toMatchObject({ code: 1, stderr: expect.stringContaining('"a0" occurs twice') });
  });

  it('keeps the member of a team whose name the file misspells', async () => {
    const ada = await username();
    await apply({ teams: { Crew: { members: [ada] } } });
    expect(await refuse({ teams: { Crew: { members: [`${ada}x`] } } }, '--prune')).toContain(`"${ada}x"`);
    expect((await exported()).teams).toMatchObject({ Crew: { members: [ada] } });
  });

  it('exchanges the keys of two things that the file names by their identifiers', async () => {
    await apply({ products: { a: { name: 'A', version: '1' }, b: { name: 'B', version: '1' } } });
    const { body } = await owner.get<{ id: string; name: string }[]>(`${at}/products?sort=name`);
    const products = { b: { id: body[0]!.id }, a: { id: body[1]!.id } };
    await apply({ products }, '--dry-run');
    expect(await apply({ products }, '--prune')).toEqual([
      '~ product b: externalId',
      '~ product a: externalId',
      'Done: 2 of 2.',
    ]);
    expect((await exported()).products).toMatchObject({ a: { name: 'B' }, b: { name: 'A' } });
  });
});

describe('ddp apply with hooks', () => {
  const two = (cold: object, warm: object) => ({
    applications: { cold: { name: 'Cold', hooks: cold }, warm: { name: 'Warm', hooks: warm } },
  });
  const secretOf = async (name: string) => {
    const { body } = await owner.graph(
      `{ account { applications { items { name hooks { items { id settings { signed } authentication { basic { user } } } } } } } }`,
    );
    const items = body.data!['account'].applications.items as { name: string; hooks: { items: object[] } }[];
    return items.find((each) => each.name === name)!.hooks.items;
  };

  it('moves a hook to another application with its secrets, and removes the application that it was in', async () => {
    await apply(two({ erp: hook }, {}));
    const { body } = await owner.get<{ id: string; name: string }[]>(`${at}/applications?sort=name`);
    const path = `/applications/${owner.id}/${body[0]!.id}/hooks`;
    const [{ id }] = (await owner.get<{ id: string }[]>(path)).body as [{ id: string }];
    await owner.put(`${path}/${id}`, { ...hook, authentication: { basic: { user: 'u', pass: 'p' } } });
    await owner.post(`${path}/${id}/signing-secret`, {});
    const before = await secretOf('Cold');
    const moved = { applications: { warm: { name: 'Warm', hooks: { erp: { ...hook, concurrency: 3 } } } } };
    expect(await apply(moved, '--prune', '--dry-run')).toEqual([
      '~ hook erp of warm: moved from cold, concurrency',
      '- application cold',
    ]);
    expect((await apply(moved, '--prune')).at(-1)).toBe('Done: 2 of 2.');
    expect(await secretOf('Warm')).toEqual(before);
    expect(before).toMatchObject([{ id, authentication: { basic: { user: 'u' } } }]);
    expect(await apply(moved, '--prune')).toEqual(['Nothing to do.']);
  });

  it('keeps a hook and its application if the application to move it to cannot be made', async () => {
    await apply(two({ erp: hook }, {}));
    const { code, stderr } = await run({ applications: { other: { name: '', hooks: { erp: hook } } } }, '--prune');
    expect([code, stderr]).toEqual([1, expect.stringContaining('- application cold: not done')]);
    expect((await exported()).applications).toMatchObject({ cold: { hooks: { erp: hook } }, warm: {} });
  });

  it('says in a dry run what is wrong with hooks and dashboards, also of an application that is not made yet', async () => {
    const bad = { url: 'ftp://x' };
    await apply({ applications: application });
    const dashboard = { format: 2 };
    const document = {
      applications: { ...application, new: { name: 'New', hasDashboard: true, dashboard, hooks: { h: bad } } },
    };
    const { stderr } = await run(document, '--dry-run');
    expect(stderr).toContain('+ hook h of new: ');
    expect(stderr).toContain('+ dashboard new: ');
    expect((await run({ applications: { cold: { hooks: { h: bad } } } }, '--dry-run')).stderr).toContain(
      'applications.cold.hooks.h.url',
    );
  });
});

describe('ddp apply --prune', () => {
  it('skips removals of hooks below an application where one hook failed, and all removals at the top if anything failed', async () => {
    await apply({
      applications: { cold: { name: 'Cold', hooks: { old: hook } }, warm: { name: 'Warm', hooks: { old2: hook } } },
      products: { gone: { name: 'Gone', version: '1' } },
    });
    const { code, stdout, stderr } = await run(
      {
        applications: { cold: { hooks: { next: { url: 'ftp://x' } } }, warm: { hooks: {} } },
        products: {},
      },
      '--prune',
    );
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, 'Done: 1 of 4.']);
    expect(stderr).toContain('- hook old of cold: not done, because this failed: + hook next of cold');
    expect(stderr).toContain('- product gone: not done');
    expect(await exported()).toMatchObject({
      products: { gone: {} },
      applications: { cold: { hooks: { old: {} } }, warm: { hooks: {} } },
    });
  });

  it('refuses to remove a product that devices use, before it changes anything', async () => {
    await apply({ products: { p: { name: 'P', version: '1' } }, devices: { a0: { product: 'p' } } });
    expect(await refuse({ products: {}, applications: application }, '--prune')).toBe('- product p: 1 device uses it');
    expect((await exported()).applications).toEqual({});
    expect((await apply({ products: {}, devices: { a0: { product: null } } }, '--prune')).at(-1)).toBe('Done: 2 of 2.');
  });
});

describe('ddp apply with values', () => {
  it('applies an export of a product without variables, and files that omit fields with a default', async () => {
    await owner.make(`${at}/products`, { name: 'Pump', version: '1', variables: [] });
    const document = await exported();
    await apply(document);
    owner = await world.organization();
    expect(await apply(document)).toEqual(['+ product pump', 'Done: 1 of 1.']);
    expect(await apply({ products: { pump: { version: '2' } } })).toEqual(['~ product pump: version', 'Done: 1 of 1.']);
    expect(await apply({ products: { valve: { name: 'Valve', version: '1' } } })).toHaveLength(2);
  });

  it('reads null as the default of each field, and changes nothing when the file is applied again', async () => {
    const when = { all: [{ variable: 'door', operator: 'eq', value: '' }] };
    const rule = { name: 'R', kind: 'threshold', when };
    const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]));
    const file = (of: { application: object; hook: object; rule: object; silence: object; device: object }) => ({
      products: { p: { name: 'P', version: '1', variables: [{ name: 'door', type: 'TXT' }] } },
      applications: {
        cold: {
          name: 'Cold',
          ...of.application,
          hooks: { h: { ...hook, ...of.hook } },
          alertRules: {
            r: { ...rule, ...of.rule },
            s: { name: 'S', kind: 'silence', silentFor: 600, ...of.silence },
          },
        },
      },
      teams: { Crew: { description: null } },
      devices: { a0: { ...of.device } },
    });
    const usual = file({
      application: nulls('description hasDashboard'),
      hook: nulls('allowUnverifiedSSLCert disabled concurrency maxPerSecond ordered events filter'),
      rule: nulls('severity disabled products tags until for maxGap closeAfter silentFor variable recipients'),
      silence: nulls('variable tags when until for maxGap closeAfter'),
      device: nulls('name tags product location applications'),
    });
    const special = file({
      application: { description: 'D', hasDashboard: true },
      hook: {
        allowUnverifiedSSLCert: true,
        disabled: true,
        concurrency: 1,
        maxPerSecond: 2,
        ordered: true,
        events: ['alert.opened', 'alert.opened'],
        filter: { tags: ['x', 'x'], products: ['p', 'p'] },
      },
      rule: {
        severity: 'info',
        disabled: true,
        products: ['p', 'p'],
        tags: ['x', 'x'],
        until: { any: [{ variable: 'door', operator: 'ne', value: '' }] },
        for: 1,
        maxGap: 1,
        closeAfter: 60,
        recipients: ['A@ddp.example'],
      },
      silence: { variable: 't', tags: ['x'] },
      device: { name: 'N', tags: ['x', 'x'], product: 'p', location: { lat: 1, lon: 2 } },
    });
    for (const document of [usual, special, usual]) {
      expect((await apply(document)).at(-1)).toMatch(/^Done: /);
      expect(await apply(document)).toEqual(['Nothing to do.']);
      expect(await apply(await exported(), '--prune')).toEqual(['Nothing to do.']);
    }
  });

  it('reads -0 as 0', async () => {
    const text = 'devices: { a0: { location: { lat: 1, lon: -0.0 } } }';
    await apply(text);
    expect(await apply(text)).toEqual(['Nothing to do.']);
  });

  it('names the position of each faulty value', async () => {
    const document = {
      products: {
        a: { name: 'A', version: 1 },
        b: { name: 'B', version: '1', variables: [{ name: 't', type: 'FLOAT33' }] },
      },
      devices: { a0: { location: { lat: 91, lon: 0 } }, a1: { tags: [7] } },
    };
    const faults = (await refuse(document)).split('\n');
    expect(faults).toEqual([
      expect.stringContaining('(products.a.version: '),
      expect.stringContaining('(products.b.variables.0.type: '),
      expect.stringContaining('(devices.a0.location.lat: '),
      expect.stringContaining('(devices.a1.tags.0: '),
    ]);
    expect((await run('teams: { Crew: { applications: { cold: own } } }')).stderr).toContain(
      'teams.Crew.applications.cold: must be read or write',
    );
    expect((await run('devices: { a0: { location: { lat: .nan, lon: 0 } } }')).stderr).toContain(
      'devices.a0.location.lat: must be a number',
    );
  });

  it('says when no service answers at the given address', async () => {
    const server = createServer((_, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = join(folder, 'empty.json');
    await writeFile(path, '{}');
    const outcome = await ddp('apply', path, '--url', url);
    server.close();
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`There is no Device Data Platform at ${url}: it answered with status 404`),
    });
    const wrong = await ddp('apply', path, '--token', 'no-token');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.not.stringContaining('no Device Data Platform')]);
  });
});

describe('ddp apply with alert rules', () => {
  const hot = {
    name: 'Too warm',
    kind: 'threshold',
    severity: 'critical',
    products: ['probe'],
    tags: ['roof'],
    when: { all: [{ variable: 'temperature', operator: 'gt', value: 8 }] },
    until: { all: [{ variable: 'temperature', operator: 'lt', value: 5 }] },
    for: 60,
    maxGap: 600,
    closeAfter: 3600,
    recipients: ['a@ddp.example'],
  };
  const silent = { name: 'Silent', kind: 'silence', silentFor: 600, variable: 'temperature', disabled: true };
  const products = {
    probe: { name: 'Probe', version: '1', variables: [{ name: 'temperature', type: 'FLOAT32', unit: '' }] },
  };
  const file = (alertRules: object) => ({ products, applications: { cold: { name: 'Cold store', alertRules } } });

  it('creates, changes, exports and removes them, and moves none of their products', async () => {
    expect(await apply(file({ hot, silent }), '--dry-run')).toContain('+ rule hot of cold');
    await apply(file({ hot, silent }));
    expect(await apply(file({ hot, silent }))).toEqual(['Nothing to do.']);
    const text = await exported();
    expect(text).toMatchObject({ applications: { cold: { alertRules: { hot, silent } } } });
    expect(await apply(text)).toEqual(['Nothing to do.']);
    expect(await apply(file({ hot: { severity: 'info' }, silent }))).toEqual([
      '~ rule hot of cold: severity',
      'Done: 1 of 1.',
    ]);
    expect(await apply(file({ silent }), '--prune')).toEqual(['- rule hot of cold', 'Done: 1 of 1.']);
  });

  it('prints the warnings of the service, also in a dry run', async () => {
    await apply({ applications: application, devices: { a0: { applications: ['cold'] } } });
    await owner.post(`${at}/records`, [{ serial: 'a0', data: { temperature: 1 } }]);
    const watching = { ...silent, variable: 'temp' };
    const path = join(folder, 'rules.json');
    await writeFile(path, JSON.stringify({ applications: { cold: { alertRules: { silent: watching } } } }));
    const stderr = expect.stringMatching(/^Warning: \+ rule silent of cold: No product declares `temp`/);
    expect(await ddp('apply', path, '--dry-run')).toMatchObject({ code: 0, stderr });
    expect(await ddp('apply', path)).toMatchObject({ code: 0, stderr });
    expect(await ddp('apply', path)).toMatchObject({ code: 0, stdout: 'Nothing to do.\n', stderr: '' });
  });

  it('exchanges the keys of two rules that the file names by their identifiers', async () => {
    await apply(file({ hot, silent }));
    const query = '{ account { applications { items { alertRules { items { id name } } } } } }';
    const { body } = await owner.graph(query);
    const [{ alertRules }] = body.data!['account'].applications.items as [
      { alertRules: { items: { id: string; name: string }[] } },
    ];
    const idOf = (name: string) => ({ id: alertRules.items.find((each) => each.name === name)!.id });
    const swapped = { applications: { cold: { alertRules: { silent: idOf(hot.name), hot: idOf(silent.name) } } } };
    expect((await apply(swapped, '--prune')).at(-1)).toBe('Done: 2 of 2.');
    expect(await exported()).toMatchObject({ applications: { cold: { alertRules: { silent: hot, hot: silent } } } });
  });

  it('prints what the service refuses, and changes nothing if a product does not exist', async () => {
    await apply(file({ silent }));
    expect(await refuse(file({ silent: { ...silent, silentFor: 1 } }))).toContain(
      'applications.cold.alertRules.silent.silentFor',
    );
    expect(await refuse(file({ hot: { ...hot, products: ['prob'] } }))).toContain('there is no product "prob"');
  });
});
