import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { createDemoToken } from '#operator/token.js';
import { startProxy } from '../../cluster/proxy.js';
import { Actor } from '../../support/actor.js';
import { ended, runCommand, startCommand } from '../../support/command.js';
import { useWorld } from '../../support/world.js';

const { hooks } = readConfig({});
const world = useWorld({ config: { hooks: { ...hooks, allowCidrs: ['127.0.0.0/8'] } } });

interface Fleet {
  account: { id: string };
  devices: { totalCount: number; items: { latest: { ts: number }[] }[] };
  products: { totalCount: number };
  sites: { totalCount: number };
  applications: { items: { hooks: { items: { stats: { successRate: number | null; pending: number } }[] } }[] };
}

const fleetOf = async (owner: Actor, organizationId: string): Promise<Fleet> => {
  const { body } = await owner.graph(
    `query ($organizationId: ID!) {
      devices(organizationId: $organizationId, q: "de-f1-ee-70-", limit: 100) { totalCount items { latest { ts } } }
      products(organizationId: $organizationId, q: "Demo") { totalCount }
      sites(organizationId: $organizationId, q: "Demo") { totalCount }
      applications(organizationId: $organizationId, q: "Demo", sort: "-name") {
        items { hooks { items { stats { successRate pending } } } }
      }
    }`,
    { organizationId },
  );
  return body.data as unknown as Fleet;
};

/** Collects the text of a stream, and waits for a part of it. */
const textOf = (stream: Readable) => {
  let text = '';
  stream.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return {
    all: () => text,
    has: async (part: string) => {
      while (!text.includes(part)) await once(stream, 'data');
    },
  };
};

describe('ddp demo --fleet', () => {
  it('creates 44 devices with a week of records and two hooks, survives a restart of the service, and deletes them', async () => {
    const { token } = await createDemoToken(world.pool, new Date());
    const owner = new Actor(world.url, token);
    const { body } = await owner.get<{ id: string }>('/account');
    const organizationId = body.id;
    const proxy = await startProxy(world.url);
    const options = ['demo', '--url', proxy.url, '--fleet', '--token', token];
    const command = startCommand([...options, '--json'], {});
    const [made, told] = [command.stdout!, command.stderr!].map(textOf);
    await told!.has('Sending a record');
    await proxy.cut();
    await told!.has('There is no service');
    await proxy.open();
    command.kill('SIGINT');
    expect(await ended(command)).toBe(0);
    expect(JSON.parse(made!.all())).toMatchObject({ devices: 44 });
    expect((JSON.parse(made!.all()) as { records: number }).records).toBeGreaterThan(30_000);
    const fleet = await fleetOf(owner, organizationId);
    expect(fleet).toMatchObject({ devices: { totalCount: 44 }, products: { totalCount: 4 }, sites: { totalCount: 2 } });
    const heard = fleet.devices.items.filter(({ latest }) => latest.length > 0);
    expect(heard).toHaveLength(43);
    const [cold, buildings] = fleet.applications.items.map((application) => application.hooks.items);
    expect(cold).toMatchObject([{ stats: { successRate: 1, pending: 0 } }]);
    expect(buildings).toMatchObject([{ stats: { successRate: 0, pending: expect.any(Number) } }]);
    expect(buildings![0]!.stats.pending).toBeGreaterThan(10);
    const removed = await runCommand([...options, '--remove'], {});
    await proxy.cut();
    expect(removed).toMatchObject({ code: 0, stdout: 'The fleet of 44 devices is removed.\n' });
    expect(await fleetOf(owner, organizationId)).toMatchObject({
      devices: { totalCount: 0 },
      products: { totalCount: 0 },
      sites: { totalCount: 0 },
      applications: { items: [] },
    });
  }, 120_000);
});
