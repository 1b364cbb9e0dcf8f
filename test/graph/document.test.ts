import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { documentsIn } from '../../scripts/typed-documents.js';
import { useWorld, type World } from '../support/world.js';
import { fillOrganization } from './fleet.js';

const world = useWorld();

const all = documentsIn(readFileSync('docs/graphql.md', 'utf8'));
const documents = all.filter(({ text }) => text.startsWith('query'));
const textOf = (name: string): string => all.find((document) => document.name === name)!.text;

let owner: Awaited<ReturnType<World['organization']>>;
let variables: { organizationId: string; applicationId: string };

beforeAll(async () => {
  owner = await world.organization();
  await fillOrganization(world.pool, owner.id, 3);
  const device = await world.pool.query('select serial from device where organization_id = $1 order by id', [owner.id]);
  const serials = (device.rows as { serial: string }[]).map(({ serial }) => serial);
  const records = serials.map((serial, index) => ({
    serial,
    data: { temperature: 20 + index },
  }));
  await owner.post(`/organizations/${owner.id}/records`, records);
  const { body } = await owner.graph('{ account { applications { items { id } } } }');
  variables = { organizationId: owner.id, applicationId: body.data!.account.applications.items[0].id };
});

describe('GraphQL documents of docs/graphql.md', () => {
  it('has eleven queries', () => {
    expect(documents).toHaveLength(11);
  });

  it.each(documents)('returns data without errors for $name', async ({ text }) => {
    const { status, body } = await owner.graph(text, variables);
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(JSON.stringify(body.data)).toMatch(/"(items|latest|series|edges)":\[\{|"totalCount":[1-9]/);
  });

  it('returns measured values for Chart', async () => {
    const { body } = await owner.graph(textOf('Chart'), variables);
    const { series } = body.data!;
    expect(series).toHaveLength(2);
    for (const { values } of series) expect(values[0]).toBeGreaterThanOrEqual(20);
  });

  it('leads from an empty organization to a chart', async () => {
    const newcomer = await world.organization();
    const organizationId = newcomer.id;
    const run = async (name: string, values: object = {}) => {
      const { body } = await newcomer.graph(textOf(name), { organizationId, ...values });
      expect(body.errors).toBeUndefined();
      return body.data!;
    };
    const { createProduct, createApplication } = await run('Furnish');
    const { registerDevice } = await run('Register', { productId: createProduct.id });
    const applicationId = createApplication.id;
    await run('Link', { applicationId, deviceId: registerDevice.id });
    expect(await run('Measure')).toEqual({ ingestRecords: { accepted: 1, results: [] } });
    const { series } = await run('Chart', { applicationId });
    expect(series).toMatchObject([{ device: { name: 'Freezer' }, name: 'temperature', unit: '°C', values: [-18.5] }]);
  });
});

describe('dashboard example', () => {
  it('compiles with the types of its documents, and fetches its screen', async () => {
    await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'examples/dashboard']);
    const { dashboard } = (await import(pathToFileURL('dist/examples/dashboard.js').href)) as Example;
    const { organizationId, applicationId } = variables;
    const screen = await dashboard({ url: world.url, token: owner.token! }, organizationId, applicationId);
    expect(screen.devices).toBe(3);
    expect(screen.gauges.map(({ name, value }) => `${name} ${value}`).toSorted()).toEqual([
      'on on',
      'on on',
      expect.stringMatching(/^temperature 2\d\.0$/),
      expect.stringMatching(/^temperature 2\d\.0$/),
    ]);
    expect(screen.lines).toHaveLength(2);
    for (const { label, points } of screen.lines) {
      expect(label).toMatch(/ temperature$/);
      expect(points[0]![1]).toBeGreaterThanOrEqual(20);
    }
  });
});

interface Example {
  dashboard(
    place: { url: string; token: string },
    organizationId: string,
    applicationId: string,
  ): Promise<{
    devices: number;
    gauges: { name: string; value: string }[];
    lines: { label: string; points: [Date, number][] }[];
  }>;
}
