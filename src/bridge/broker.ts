import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { generate, type IPublishPacket, type Packet } from 'mqtt-packet';
import { InOrder } from '#mqtt/acknowledgements.js';
import { PacketBuffer, readPacket } from '#mqtt/packet.js';

/** Size of the largest packet of MQTT in bytes (3.1.1, section 2.2.3). Limiting messages is the broker's task. */
const maxPacketBytes = 5 + 268_435_455;

/** A broker and the subscription there. */
export interface BrokerOptions {
  /** `mqtt://` or `mqtts://`, with user and password if the broker requires them. */
  url: URL;
  topics: readonly string[];
  /** Client identifier under which the broker keeps messages while the bridge is away. */
  clientId: string;
  /**
   * Stores a message. The message is acknowledged when this resolves, and not if it rejects. `signal` is aborted when
   * the connection ends; the broker then sends the message again over the next one.
   */
  handle: (message: { topic: string; payload: Buffer }, signal: AbortSignal) => Promise<void>;
  /** Maximum number of messages in progress. */
  atOnce: number;
  /** Interval of PINGREQs in seconds; the broker has as long to answer. */
  keepAlive: number;
  /** Aborted to finish the messages in progress and leave. */
  signal: AbortSignal;
}

/**
 * Receives messages (MQTT 3.1.1, QoS 1) until the signal is aborted. Rejects if the broker refuses the bridge or the
 * connection breaks.
 */
export function takeFromBroker(options: BrokerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriber = new Subscriber(options);
    subscriber.ended.then(resolve, reject);
  });
}

class Subscriber {
  private readonly end = Promise.withResolvers<void>();
  private readonly socket: Socket;
  private readonly input = new PacketBuffer(maxPacketBytes);
  private readonly answers = new InOrder<number | undefined>((messageId) => this.acknowledge(messageId));
  private pending = 0;
  private readonly pings: NodeJS.Timeout;
  private readonly over = new AbortController();
  private readonly signal: AbortSignal;
  /** Whether the broker owes an answer: first to CONNECT, then to a PINGREQ. */
  private isOwed = true;

  constructor(private readonly options: BrokerOptions) {
    const { url, clientId, keepAlive, signal } = options;
    const { username, password } = url;
    this.signal = AbortSignal.any([signal, this.over.signal]);
    this.socket = connectTo(url);
    this.socket.on('data', (chunk: Buffer) => {
      this.isOwed = false;
      this.read(chunk);
    });
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
    this.pings = setInterval(() => this.ping(), keepAlive * 1000);
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
      while (this.pending < atOnce && !signal.aborted && this.input.hasPacket(true))
        this.heed(readPacket(this.input.take(), 4));
    } catch (error) {
      return this.fail(error as Error);
    }
    if (this.pending >= atOnce || signal.aborted) return void this.socket.pause();
    if (this.socket.isPaused()) this.isOwed = false;
    this.socket.resume();
  }

  /**
   * Closes the connection if the broker did not answer the last ping: a broker whose machine is gone never closes it.
   * While the socket is paused, answers are not read, so a missing answer proves nothing.
   */
  private ping(): void {
    if (this.isOwed && !this.socket.isPaused()) return this.fail(new Error('The broker does not answer.'));
    this.isOwed = true;
    this.send({ cmd: 'pingreq' });
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
    const { handle, signal } = this.options;
    handle({ topic, payload: payload as Buffer }, this.signal).then(
      () => {
        this.pending--;
        answer?.(messageId);
        if (signal.aborted) this.leave();
        else this.read();
      },
      (error: unknown) => {
        this.pending--;
        if (!signal.aborted) return this.fail(error as Error);
        // A stopping bridge does not wait. The broker keeps this message; later ones can still be acknowledged.
        answer?.(undefined);
        this.leave();
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
    this.over.abort();
    // The broker sends messages that were read but not begun again over the next connection.
    this.input.clear();
    this.options.signal.removeEventListener('abort', this.leave);
    this.socket.end();
  }
}

/** Connects to the address of a broker. */
function connectTo({ protocol, hostname, port }: URL): Socket {
  // IPv6 addresses have brackets in a URL.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'mqtts:') return connectTcp({ host, port: Number(port || 1883) });
  // A server name is never an address (RFC 6066, section 3).
  return connectTls({ host, port: Number(port || 8883), ...(isIP(host) === 0 && { servername: host }) });
}
