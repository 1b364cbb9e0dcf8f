import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { IPublishPacket } from 'mqtt-packet';
import { ApiError, QuotaError } from '#common/errors.js';
import type { Caller } from '#entities/caller.js';
import { InOrder } from './acknowledgements.js';
import type { Announcement } from './device.js';
import type { MqttMetrics } from './metrics.js';
import type { Message } from './push/message.js';
import { type PacketRefusal, ReasonCode, reasonName } from './reason.js';
import { type MessageStore, storeMessage } from './store-message.js';
import type { Heard } from './voice.js';

/** Functions of the service that messages use. */
export interface InboxOptions {
  store: MessageStore;
  /**
   * Resolves and counts the sender of a message or a CONNECT.
   * @throws ApiError 401 or 429
   */
  admit: (authorization: string | undefined, socket: Socket) => Promise<Caller>;
  /** Translates any error into the refusal that the client gets. */
  refusalOf: (error: unknown) => PacketRefusal;
  metrics: MqttMetrics;
}

/** Outcome of a message: stored, with an optional sentence about the parts that were not; or refused. */
export type MessageOutcome =
  | {
      messageId: number;
      words?: string | undefined;
      reason?: ReasonCode | undefined;
      announcement?: Announcement | undefined;
    }
  | { messageId: number; refusal: PacketRefusal };

/** Handlers of settled messages. */
interface Handlers {
  /** Called with the answer to a message at QoS 1, in the order of the messages. */
  answer: (answer: MessageOutcome) => void;
  /** Called when a message was refused. At QoS 1 its answer follows. */
  refused: (packet: IPublishPacket, bytes: number, refusal: PacketRefusal) => void;
  /** Called when a message was acknowledged of which a part or nothing was stored. At QoS 1 its answer follows. */
  incomplete: (packet: IPublishPacket, bytes: number, stored: Heard) => void;
  /** Called with an announcement at QoS 0; at QoS 1 the answer has it, so that announcements keep their order. */
  announced: (announcement: Announcement) => void;
  /** Called with the answer to a request of the client. */
  replied: (message: Message) => void;
  /** Called when a message was settled. */
  progress: () => void;
}

/** Maximum number of unacknowledged messages of a connection (Receive Maximum). */
export const maxInFlight = 100;
/** Number of bytes of messages in progress above which the connection is not read. */
const maxPendingBytes = 64 * 1024;

/** The messages of a connection that are in progress. They are stored in batches and answered in order. */
export class Inbox {
  private readonly answers: InOrder<MessageOutcome>;
  private readonly leaving = new AbortController();
  private pending = 0;
  private pendingBytes = 0;

  constructor(
    private readonly options: InboxOptions,
    private readonly socket: Socket,
    private readonly handlers: Handlers,
  ) {
    this.answers = new InOrder(handlers.answer);
  }

  /** Whether another message may be read. */
  get hasRoom(): boolean {
    return this.answers.size < maxInFlight && this.pending < maxInFlight && this.pendingBytes < maxPendingBytes;
  }

  /** Whether all messages are settled. */
  get isEmpty(): boolean {
    return this.pending === 0;
  }

  /** Gives up on messages that wait for a rate limit. */
  leave(): void {
    this.leaving.abort();
  }

  /**
   * Stores a message.
   * @param bytes size of its packet
   */
  take(packet: IPublishPacket, bytes: number, sender: Sender): void {
    const { qos, messageId = 0 } = packet;
    const { metrics, refusalOf } = this.options;
    const settle = qos === 1 ? this.answers.open() : undefined;
    const begun = performance.now();
    this.pending++;
    this.pendingBytes += bytes;
    const done = (outcome: string) => {
      metrics.settled(outcome, (performance.now() - begun) / 1000);
      this.pending--;
      this.pendingBytes -= bytes;
    };
    this.store(packet, sender).then(
      (stored) => {
        const { words, reason, announcement, isIgnored = false, reply } = stored;
        done(isIgnored ? 'ignored' : reasonName(ReasonCode.success));
        if (isIgnored || words !== undefined) this.handlers.incomplete(packet, bytes, stored);
        if (settle !== undefined) settle({ messageId, words, reason, announcement });
        else if (announcement !== undefined) this.handlers.announced(announcement);
        if (reply !== undefined) this.handlers.replied(reply);
        this.handlers.progress();
      },
      (error: unknown) => {
        const refusal = refusalOf(error);
        done(reasonName(refusal.reason));
        this.handlers.refused(packet, bytes, refusal);
        settle?.({ messageId, refusal });
        this.handlers.progress();
      },
    );
  }

  /**
   * Stores a message. If its token or organization exceeds a rate limit, the message waits, and so do those after it.
   */
  private async store(packet: IPublishPacket, { authorization, clientId }: Sender): Promise<Heard> {
    for (;;) {
      try {
        const caller = await this.options.admit(authorization, this.socket);
        return await storeMessage(this.options.store, packet, { caller, clientId });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
        // A day's quota may be used up until midnight: no message waits that long.
        if (error instanceof QuotaError) throw error;
        const seconds = Number(error.headers?.['Retry-After'] ?? 1);
        await delay(seconds * 1000, undefined, { signal: this.leaving.signal });
      }
    }
  }
}

/** Sender of the messages of a connection. */
interface Sender {
  authorization: string | undefined;
  clientId: string;
}
