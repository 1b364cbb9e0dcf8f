import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { IPublishPacket } from 'mqtt-packet';
import type { Caller } from '../entities/caller.js';
import { ApiError, QuotaError } from '../errors.js';
import { InOrder } from './acknowledgements.js';
import { type MessageStore, storeMessage } from './message.js';
import type { MqttMetrics } from './metrics.js';
import { nameOf, Reason, type Refusal } from './reason.js';

/** What messages need of the service. */
export interface InboxOptions {
  store: MessageStore;
  /** Finds and counts who sends a message, or connects. @throws unauthenticated, rateLimited */
  admit: (authorization: string | undefined, socket: Socket) => Promise<Caller>;
  /** Whatever went wrong, as what the client is told. */
  refusalOf: (error: unknown) => Refusal;
  metrics: MqttMetrics;
}

/** What a message comes to: it is stored, perhaps with a sentence on what of it is not, or refused. */
export type Answer = { messageId: number; words?: string | undefined } | { messageId: number; refusal: Refusal };

/** What the connection does with messages that are settled. */
interface Handlers {
  /** Takes the answer to a message at QoS 1, in the order of the messages. */
  answer: (answer: Answer) => void;
  /** A message was refused; at QoS 1 its answer follows. */
  refused: (packet: IPublishPacket, bytes: number, refusal: Refusal) => void;
  /** A message was settled. */
  progress: () => void;
}

/** Messages of a connection that are not acknowledged yet, at most (Receive Maximum). */
export const maxInFlight = 100;
/** Bytes of messages under way beyond which no more of the connection are read. */
const maxPendingBytes = 64 * 1024;

/** The messages of a connection that are under way: stored many at a time, answered in their order. */
export class Inbox {
  private readonly answers: InOrder<Answer>;
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

  /** Gives up on messages that wait until their token may send them. */
  leave(): void {
    this.leaving.abort();
  }

  /** Stores a message. @param bytes of its packet */
  take(packet: IPublishPacket, bytes: number, sender: Sender): void {
    const { qos, messageId = 0 } = packet;
    const { metrics, refusalOf } = this.options;
    const settle = qos === 1 ? this.answers.open() : undefined;
    const begun = performance.now();
    this.pending++;
    this.pendingBytes += bytes;
    const done = (reason: Reason) => {
      metrics.settled(nameOf(reason), (performance.now() - begun) / 1000);
      this.pending--;
      this.pendingBytes -= bytes;
    };
    this.store(packet, sender).then(
      (words) => {
        done(Reason.success);
        settle?.({ messageId, words });
        this.handlers.progress();
      },
      (error: unknown) => {
        const refusal = refusalOf(error);
        done(refusal.reason);
        this.handlers.refused(packet, bytes, refusal);
        settle?.({ messageId, refusal });
        this.handlers.progress();
      },
    );
  }

  /** A message whose token or organization sends too many waits, and with it what comes after it. */
  private async store(packet: IPublishPacket, { authorization, clientId }: Sender): Promise<string | undefined> {
    for (;;) {
      try {
        const caller = await this.options.admit(authorization, this.socket);
        return await storeMessage(this.options.store, packet, { caller, clientId });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
        // A day's quota may be used up until midnight: nobody waits that long.
        if (error instanceof QuotaError) throw error;
        const seconds = Number(error.headers?.['Retry-After'] ?? 1);
        await delay(seconds * 1000, undefined, { signal: this.leaving.signal });
      }
    }
  }
}

/** Who sends the messages of a connection. */
interface Sender {
  authorization: string | undefined;
  clientId: string;
}
