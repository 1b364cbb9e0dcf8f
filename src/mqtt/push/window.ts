import type { Channel } from '../channel.js';
import type { Message } from './message.js';

/** Maximum number of messages at QoS 1 of a connection that the client has not acknowledged. */
const maxUnacknowledged = 16;

/** Messages to a client at QoS 1, by their packet identifiers. Called with the reason that the client gives. */
export class Window {
  private readonly unacknowledged = new Map<number, (reason: number) => void>();
  private last = 0;
  private readonly size: number;

  /** @param receiveMaximum maximum number of such messages that the client takes at once */
  constructor(
    private readonly channel: Channel,
    receiveMaximum = maxUnacknowledged,
  ) {
    this.size = Math.min(receiveMaximum, maxUnacknowledged);
  }

  /** Whether the client takes another message at QoS 1. */
  get hasRoom(): boolean {
    return this.unacknowledged.size < this.size;
  }

  /**
   * Sends a message. Returns false if it is larger than the client accepts; nothing is sent then.
   * @param acknowledged called with the reason code of the client's PUBACK; absent: QoS 0
   */
  publish({ topic, payload }: Message, acknowledged?: (reason: number) => void): boolean {
    const packet = { cmd: 'publish', topic, payload, dup: false, retain: false } as const;
    if (acknowledged === undefined) return this.channel.send({ ...packet, qos: 0 });
    const messageId = this.nextIdentifier();
    if (!this.channel.send({ ...packet, qos: 1, messageId })) return false;
    this.unacknowledged.set(messageId, acknowledged);
    return true;
  }

  /** Takes a PUBACK. Returns false if no message has this identifier. */
  acknowledge(messageId: number, reason: number): boolean {
    const acknowledged = this.unacknowledged.get(messageId);
    if (acknowledged === undefined) return false;
    this.unacknowledged.delete(messageId);
    acknowledged(reason);
    return true;
  }

  private nextIdentifier(): number {
    do this.last = (this.last % 0xffff) + 1;
    while (this.unacknowledged.has(this.last));
    return this.last;
  }
}
