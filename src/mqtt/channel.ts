import type { Duplex } from 'node:stream';
import { generate, type Packet } from 'mqtt-packet';
import type { ProtocolVersion } from './packet.js';

/** A TCP connection, encrypted or not. */
export type Stream = Duplex & { setTimeout(milliseconds: number): unknown };

/** How long a client may take to close, once it was told why we do. Milliseconds. */
const closing = 2000;

/** Packets on their way to a client. */
export class Channel {
  /** Set by the client's CONNECT. */
  version: ProtocolVersion = 4;
  /** Bytes of a packet that the client takes. */
  maxBytes: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isCorked = false;

  constructor(private readonly stream: Stream) {}

  /** Whether the client takes less than it is sent. */
  get isFull(): boolean {
    return this.stream.writableNeedDrain;
  }

  /**
   * Sends a packet; those of one turn of the event loop go out together. Returns false where the packet is larger than the
   * client takes, even without its reason in words: then it counts as sent (MQTT 5.0, section 3.1.2.11.4).
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

  /** Does this after a time, unless another time is set or it is forgotten. */
  after(milliseconds: number, act: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, milliseconds);
  }

  /** Forgets what was to be done. */
  forget(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Ends the connection after what was sent. What still comes is read and dropped: else the system would drop that. */
  close(): void {
    this.stream.removeAllListeners('data');
    this.stream.resume();
    this.stream.end();
    this.after(closing, () => this.stream.destroy());
  }
}

const withoutWords = (packet: Packet): Packet => {
  if (packet.cmd !== 'connack' && packet.cmd !== 'puback' && packet.cmd !== 'disconnect') return packet;
  const { reasonString: _words, ...properties } = packet.properties ?? {};
  return { ...packet, properties };
};
