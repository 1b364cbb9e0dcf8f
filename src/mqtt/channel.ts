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

  /** Sends a packet; those of one turn of the event loop go out together. */
  send(packet: Packet): void {
    if (!this.stream.writable) return;
    const { version, maxBytes } = this;
    const options = { protocolVersion: version, ...(maxBytes && { properties: { maximumPacketSize: maxBytes } }) };
    if (!this.isCorked) {
      this.isCorked = true;
      this.stream.cork();
      process.nextTick(() => {
        this.isCorked = false;
        this.stream.uncork();
      });
    }
    this.stream.write(generate(packet, options));
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
