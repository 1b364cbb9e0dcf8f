import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';

/** A client that writes raw packets, which may be wrong, slow or endless. */
export class RawClient {
  readonly packets: Packet[] = [];

  private constructor(
    readonly socket: Socket,
    readonly version: 4 | 5,
  ) {
    const reader = parser({ protocolVersion: version });
    reader.on('packet', (packet) => this.packets.push(packet));
    socket.on('data', (bytes: Buffer) => reader.parse(bytes));
    socket.on('error', () => undefined);
  }

  /** Connects to an address without sending anything. */
  static async to(url: string, version: 4 | 5 = 4): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: false });
    const client = new RawClient(socket, version);
    await once(socket, 'connect');
    return client;
  }

  /** Connects and authenticates with a token. */
  static async as(
    token: string,
    url: string,
    version: 4 | 5 = 4,
    more: Partial<IConnectPacket> = {},
  ): Promise<RawClient> {
    const client = await RawClient.to(url, version);
    client.hello(token, more);
    await client.packet('connack');
    return client;
  }

  /** Sends CONNECT. */
  hello(token: string, more: Partial<IConnectPacket> = {}): this {
    return this.send({ cmd: 'connect', clientId: 'raw', username: token, protocolVersion: this.version, ...more });
  }

  send(packet: Packet): this {
    this.socket.write(generate(packet, { protocolVersion: this.version }));
    return this;
  }

  write(bytes: Buffer | string): this {
    this.socket.write(bytes);
    return this;
  }

  publish(messageId: number, payload: object, topic = 'v1/devices/me/telemetry'): this {
    return this.send({
      cmd: 'publish',
      messageId,
      topic,
      payload: JSON.stringify(payload),
      qos: 1,
      dup: false,
      retain: false,
    });
  }

  /** Resolves with the first packet of a kind, or undefined when the connection ends without one. */
  async packet<Cmd extends Packet['cmd']>(cmd: Cmd): Promise<Extract<Packet, { cmd: Cmd }> | undefined> {
    for (;;) {
      const found = this.packets.find((packet) => packet.cmd === cmd);
      if (found !== undefined) return found as Extract<Packet, { cmd: Cmd }>;
      if (this.socket.destroyed) return undefined;
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]).catch(() => undefined);
    }
  }

  /** Resolves with true when the connection has ended in any way. */
  closed(): Promise<true> {
    return new Promise((resolve) =>
      this.socket.closed ? resolve(true) : this.socket.once('close', () => resolve(true)),
    );
  }

  leave(): void {
    this.socket.destroy();
  }
}
