import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generate, type Packet, parser } from 'mqtt-packet';
import { ended, startCommand } from '../support/command.js';
import { recordsOf, useMqtt } from './mqtt-world.js';

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

describe('ddp bridge', () => {
  it("stores a broker's messages, acknowledges them in order after the commit, and disconnects on SIGTERM", async () => {
    const messages = Array.from({ length: 200 }, (_, number) => ({
      topic: 'site/1',
      payload: number === 7 ? 'no JSON' : JSON.stringify({ serial: 'ab-01', data: { number } }),
    }));
    const running = await bridge('ddp', messages, world.ingestToken);
    await broker.until('puback', 200);
    expect(broker.acknowledged).toEqual(messages.map((_, index) => index + 1));
    const stored = await recordsOf(world.tenant, world.deviceId);
    expect(new Set(stored.map(({ data }) => data['number'])).size).toBe(199);
    running.kill('SIGTERM');
    await broker.until('disconnect');
    expect(await ended(running)).toBe(0);
  }, 60_000);
});
