import type { Duplex } from 'node:stream';
import { generate, type Packet } from 'mqtt-packet';
import type { ProtocolVersion } from './packet.js';

/** A TCP connection, with or without TLS. */
export type MqttStream = Duplex & { setTimeout(milliseconds: number): unknown };

/** Time for a client to close the connection after it was sent the reason for the end, in milliseconds. */
const closing = 2000;

/** Sends packets to a client. */
export class Channel {
  /** Set by the client's CONNECT. */
  version: ProtocolVersion = 4;
  /** Maximum size of a packet that the client accepts, in bytes. */
  maxBytes: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isCorked = false;

  constructor(private readonly stream: MqttStream) {}

  /** Whether the client reads more slowly than packets are sent. */
  get isFull(): boolean {
    return this.stream.writableNeedDrain;
  }

  /** Number of bytes that the client has not fetched. */
  get unreadBytes(): number {
    return this.stream.writableLength;
  }

  /**
   * Sends a packet. Packets of one turn of the event loop go out together. Returns false if the packet is larger than
   * the client accepts, even without its reason string. Such a packet counts as sent (MQTT 5.0, section 3.1.2.11.4).
   */
  send(packet: Packet): boolean {
    if (!this.stream.writable) return true;
    const bytes = this.fitting(packet);
    if (bytes === undefined) return false;
    if (!this.isCorked) {
      this.isCorked = true;
      this.stream.cork();
      process.nextTick(() => {
        this.isCorked = false;
        this.stream.uncork();
      });
    }
    this.stream.write(bytes);
    return true;
  }

  private fitting(packet: Packet): Buffer | undefined {
    const { version: protocolVersion, maxBytes = Number.POSITIVE_INFINITY } = this;
    const whole = generate(packet, { protocolVersion });
    if (whole.length <= maxBytes) return whole;
    const short = generate(withoutWords(packet), { protocolVersion });
    return short.length <= maxBytes ? short : undefined;
  }

  /** Runs `act` after a time, unless this or {@link forget} is called again before. */
  after(milliseconds: number, act: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, milliseconds);
  }

  /** Cancels what {@link after} scheduled. */
  forget(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /**
   * Ends the connection after the packets sent so far. Data that still arrives is read and dropped, because the system
   * would otherwise drop those packets.
   */
  close(): void {
    this.stream.removeAllListeners('data');
    this.stream.resume();
    this.stream.end();
    this.after(closing, () => this.stream.destroy());
  }
}

const withoutWords = (packet: Packet): Packet => {
  const { cmd } = packet;
  if (cmd !== 'connack' && cmd !== 'puback' && cmd !== 'suback' && cmd !== 'disconnect') return packet;
  const { reasonString: _words, ...properties } = packet.properties ?? {};
  return { ...packet, properties };
};
