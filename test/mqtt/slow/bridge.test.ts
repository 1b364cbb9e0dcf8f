import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generate, type Packet, parser } from 'mqtt-packet';
import { TokenScope } from '#entities/enums.js';
import { setQuota } from '#operator/quota.js';
import { ended, startCommand } from '../../support/command.js';
import { createTenant, withDatabase } from '../../support/tenant.js';
import { makeDevice, recordsOf, useMqtt } from '../mqtt-world.js';

const world = useMqtt();

/** A broker that sends messages and records which ones are acknowledged. */
class Broker {
  readonly heard: Packet[] = [];
  private constructor(
    private readonly server: Server,
    private readonly messages: readonly { topic: string; payload: string }[],
  ) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async with(messages: readonly { topic: string; payload: string }[]): Promise<Broker> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Broker(server, messages);
  }

  get url(): string {
    const address = this.server.address();
    return typeof address === 'object' ? `mqtt://127.0.0.1:${address?.port}` : '';
  }

  /** Identifiers of the acknowledged messages, in order. */
  get acknowledged(): (number | undefined)[] {
    return this.heard.flatMap((packet) => (packet.cmd === 'puback' ? [packet.messageId] : []));
  }

  /** Resolves when the given number of packets of a kind have arrived. */
  async until(cmd: Packet['cmd'], count = 1): Promise<void> {
    while (this.heard.filter((packet) => packet.cmd === cmd).length < count) await once(this.server, 'heard');
  }

  close(): void {
    this.server.close();
  }

  private serve(socket: Socket): void {
    const reader = parser({ protocolVersion: 4 });
    socket.on('data', (bytes: Buffer) => reader.parse(bytes)).on('error', () => undefined);
    reader.on('packet', (packet) => {
      this.heard.push(packet);
      if (packet.cmd === 'connect') socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
      if (packet.cmd === 'subscribe') {
        socket.write(generate({ cmd: 'suback', messageId: packet.messageId!, granted: [1] }));
        for (const [index, message] of this.messages.entries())
          socket.write(
            generate({ cmd: 'publish', qos: 1, dup: false, retain: false, messageId: index + 1, ...message }),
          );
      }
      this.server.emit('heard');
    });
  }
}

let child: ChildProcess | undefined;
let broker: Broker;
const bridge = async (
  source: string,
  messages: readonly { topic: string; payload: string }[],
  token: string,
  { organization = world.tenant.id, more = [] }: { organization?: string; more?: readonly string[] } = {},
) => {
  broker = await Broker.with(messages);
  const { url } = world.service;
  child = startCommand(
    [
      'bridge',
      '--url',
      broker.url,
      '--topic',
      '#',
      '--source',
      source,
      '--service',
      url,
      '--organization',
      organization,
      ...more,
    ],
    { DDP_TOKEN: token },
  );
  return child;
};
beforeEach(() => {
  child = undefined;
});
afterEach(async () => {
  broker.close();
  child?.kill('SIGKILL');
  if (child !== undefined) await ended(child);
});

describe('ddp bridge with special messages and brokers', () => {
  it('stores messages up to the size limit, and continues after a larger one', async () => {
    const records = (bytes: number) =>
      JSON.stringify(
        Array.from({ length: 100 }, (_, n) => ({ serial: 'ab-01', data: { n, text: 'x'.repeat(bytes / 100) } })),
      );
    const messages = [records(2e6), records(11e6), JSON.stringify({ serial: 'ab-01', data: { n: 'last' } })];
    await bridge(
      'ddp',
      messages.map((payload) => ({ topic: 'site/1', payload })),
      world.ingestToken,
    );
    await broker.until('puback', 3);
    expect(broker.acknowledged).toEqual([1, 2, 3]);
    const stored = await recordsOf(world.tenant, world.deviceId);
    expect(stored.filter(({ data }) => 'n' in data)).toHaveLength(101);
  }, 60_000);

  it('accepts uplinks of The Things Stack', async () => {
    await world.owner.post(`/organizations/${world.tenant.id}/devices/00-04-a3-0b-00-1c-05-30`, {});
    const payload = readFileSync('test/data/ingest/the-things-stack-uplink.json', 'utf8');
    await bridge('the-things-stack', [{ topic: 'v3/app@tenant/devices/d/up', payload }], world.ingestToken);
    await broker.until('puback');
    expect(broker.acknowledged).toEqual([1]);
  }, 60_000);

  it('reconnects when the broker stops answering', async () => {
    await bridge('ddp', [], world.ingestToken, { more: ['--keep-alive', '1'] });
    await broker.until('connect', 2);
    expect(broker.heard.some(({ cmd }) => cmd === 'pingreq')).toBe(true);
  }, 60_000);

  it('exits at once while a message waits for its quota, leaves it with the broker and acknowledges the others', async () => {
    const tenant = await createTenant(world.service);
    const deviceId = await makeDevice(tenant, 'ab-01');
    await withDatabase(world.service, (database) => setQuota(database, tenant.id, { recordsPerDay: 1 }));
    const two = [
      { serial: 'ab-01', data: {} },
      { serial: 'ff-ff', data: {} },
    ];
    const unknown = [
      { serial: 'ff-ff', data: {} },
      { serial: 'ff-ff', data: {} },
    ];
    while ((await tenant.owner.post(`/organizations/${tenant.id}/records`, unknown)).status !== 429);
    const messages = [two, { serial: 'ab-01', data: { number: 1 } }].map((records) => ({
      topic: 'site/1',
      payload: JSON.stringify(records),
    }));
    const { token } = await tenant.client({ scope: TokenScope.ingest });
    const running = await bridge('ddp', messages, token!, { organization: tenant.id });
    while ((await recordsOf(tenant, deviceId)).length === 0);
    running.kill('SIGTERM');
    expect(await ended(running)).toBe(0);
    await broker.until('disconnect');
    expect(broker.acknowledged).toEqual([2]);
    expect((await recordsOf(tenant, deviceId)).map(({ data }) => data)).toEqual([{ number: 1 }]);
  }, 60_000);

  it('exits with code 1 for an invalid token, and acknowledges nothing', async () => {
    const running = await bridge('ddp', [{ topic: 'a', payload: '{}' }], 'ddp_unknown');
    expect(await ended(running)).toBe(1);
    expect(broker.acknowledged).toEqual([]);
  }, 60_000);
});
