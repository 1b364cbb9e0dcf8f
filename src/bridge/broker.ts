import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { generate, type IPublishPacket, type Packet } from 'mqtt-packet';
import { InOrder } from '../mqtt/acknowledgements.js';
import { PacketBuffer, readPacket } from '../mqtt/packet.js';

/** A broker and what is subscribed there. */
export interface BrokerOptions {
  /** `mqtt://` or `mqtts://`, with user and password where it wants them. */
  url: URL;
  topics: readonly string[];
  /** The broker keeps messages for this name while nobody is there to take them. */
  clientId: string;
  /** Stores a message; it is acknowledged when this resolves, and not at all where it rejects. */
  handle: (message: { topic: string; payload: Buffer }) => Promise<void>;
  /** Messages under way at once. */
  atOnce: number;
  /** Aborted to finish what is under way and leave. */
  signal: AbortSignal;
}

/** Seconds between signs of life, and the wait for an answer. */
const keepAlive = 30;

/** Takes messages (MQTT 3.1.1, QoS 1) until it is told to leave; rejects where the broker refuses or the connection breaks. */
export function takeFromBroker(options: BrokerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriber = new Subscriber(options);
    subscriber.ended.then(resolve, reject);
  });
}

class Subscriber {
  private readonly end = Promise.withResolvers<void>();
  private readonly socket: Socket;
  private readonly input = new PacketBuffer();
  private readonly answers = new InOrder<number | undefined>((messageId) => this.acknowledge(messageId));
  private pending = 0;
  private readonly pings: NodeJS.Timeout;

  constructor(private readonly options: BrokerOptions) {
    const { url, clientId, signal } = options;
    const { hostname: host, username, password } = url;
    this.socket =
      url.protocol === 'mqtts:'
        ? connectTls({ host, servername: host, port: Number(url.port || 8883) })
        : connectTcp({ host, port: Number(url.port || 1883) });
    this.socket.setTimeout(2 * keepAlive * 1000, () => this.fail(new Error('The broker is silent.')));
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.once('error', (error) => this.fail(error));
    this.socket.once('close', () => this.fail(new Error('The broker ended the connection.')));
    this.send({
      cmd: 'connect',
      clientId,
      clean: false,
      keepalive: keepAlive,
      protocolVersion: 4,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: Buffer.from(decodeURIComponent(password)) }),
    });
    this.pings = setInterval(() => this.send({ cmd: 'pingreq' }), keepAlive * 1000);
    signal.addEventListener('abort', this.leave, { once: true });
    if (signal.aborted) this.leave();
  }

  get ended(): Promise<void> {
    return this.end.promise;
  }

  private readonly leave = (): void => {
    this.socket.pause();
    if (this.pending > 0) return;
    this.send({ cmd: 'disconnect' });
    this.finish();
    this.end.resolve();
  };

  private read(chunk?: Buffer): void {
    if (chunk !== undefined) this.input.add(chunk);
    const { atOnce, signal } = this.options;
    try {
      while (this.pending < atOnce && !signal.aborted) {
        const bytes = this.input.take(true);
        if (bytes === undefined) break;
        this.heed(readPacket(bytes, 4));
      }
    } catch (error) {
      return this.fail(error as Error);
    }
    if (this.pending < atOnce && !signal.aborted) this.socket.resume();
    else this.socket.pause();
  }

  private heed(packet: Packet): void {
    if (packet.cmd === 'connack') {
      if (packet.returnCode !== 0) throw new Error(`The broker refuses the bridge (return code ${packet.returnCode}).`);
      const subscriptions = this.options.topics.map((topic) => ({ topic, qos: 1 as const }));
      this.send({ cmd: 'subscribe', messageId: 1, subscriptions });
    } else if (packet.cmd === 'suback') {
      if ((packet.granted as number[]).includes(0x80)) throw new Error('The broker refuses the subscription.');
    } else if (packet.cmd === 'publish') this.handle(packet);
  }

  private handle({ topic, payload, qos, messageId }: IPublishPacket): void {
    const answer = qos === 0 ? undefined : this.answers.open();
    this.pending++;
    this.options.handle({ topic, payload: payload as Buffer }).then(
      () => {
        this.pending--;
        answer?.(messageId);
        if (this.options.signal.aborted) this.leave();
        else this.read();
      },
      (error: unknown) => {
        this.pending--;
        this.fail(error as Error);
      },
    );
  }

  private acknowledge(messageId: number | undefined): void {
    if (messageId !== undefined) this.send({ cmd: 'puback', messageId });
  }

  private send(packet: Packet): void {
    if (this.socket.writable) this.socket.write(generate(packet));
  }

  private fail(error: Error): void {
    this.finish();
    this.socket.destroy();
    this.end.reject(error);
  }

  private finish(): void {
    clearInterval(this.pings);
    this.options.signal.removeEventListener('abort', this.leave);
    this.socket.end();
  }
}
