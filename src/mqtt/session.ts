import type { Socket } from 'node:net';
import type { IPublishPacket, Packet } from 'mqtt-packet';
import type { Caller } from '#entities/caller.js';
import type { Hold } from '#http/in-flight.js';
import { AccessCheck } from './access-check.js';
import type { Channel } from './channel.js';
import type { Greeting } from './handshake.js';
import { Inbox, type InboxOptions, type MessageOutcome } from './inbox.js';
import type { Paces } from './pace.js';
import { requireIdentifier } from './packet.js';
import { Subscriptions } from './push/subscriptions.js';
import { ReadLimit } from './read-limit.js';
import { PacketRefusal, ReasonCode, reasonName } from './reason.js';
import type { RepeatedEvents } from './repeated-events.js';
import { Exchange, holdBytes } from './store-message.js';
import type { Heard } from './voice.js';

/** Functions of the service that a session uses. */
export interface SessionOptions extends InboxOptions {
  /** Resolves the sender without counting. @throws ApiError 401 */
  authenticate: (authorization: string | undefined) => Promise<Caller>;
  /** Limits packets that store nothing. */
  paces: Paces;
  /** Logs refusals. */
  refused: RepeatedEvents;
}

/** Functions of the connection that a session uses. */
export interface SessionHandlers {
  /** Ends the connection for a reason. */
  disconnect: (refusal: PacketRefusal) => void;
  /** Called when the client sent DISCONNECT. */
  disconnected: () => void;
  /** Called when the connection may be read again. */
  progress: () => void;
}

/** Memory that a chunk takes besides its bytes. */
const chunkCost = 200;
/** Maximum length of a reason string. */
export const maxWords = 500;

/** A client after its CONNECT was accepted: handles its packets and answers them. */
export class MqttSession {
  private readonly inbox: Inbox;
  private readonly access: AccessCheck;
  private readonly subscriptions: Subscriptions;
  /** Limits how fast the connection is read. */
  readonly readLimit: ReadLimit;
  /** Budget of a packet that is not complete. */
  private incoming: { exchange: Exchange; hold: Hold } | undefined;
  private isOver = false;

  constructor(
    private readonly caller: Caller,
    readonly greeting: Greeting,
    private readonly channel: Channel,
    socket: Socket,
    private readonly options: SessionOptions,
    private readonly handlers: SessionHandlers,
  ) {
    this.readLimit = new ReadLimit(caller, options.paces, handlers.progress);
    this.access = new AccessCheck(options.authenticate, (error) => handlers.disconnect(options.refusalOf(error)));
    this.inbox = new Inbox(options, socket, {
      answer: (answer) => this.acknowledge(answer),
      refused: (packet, bytes, refusal) => this.refuse(packet, bytes, refusal),
      incomplete: (packet, bytes, stored) => this.noteIncomplete(packet, bytes, stored),
      announced: (announcement) => this.announced({ messageId: 0, announcement }),
      replied: (message) => this.subscriptions.reply(message),
      progress: handlers.progress,
    });
    const { downlink, read } = options.store;
    this.subscriptions = new Subscriptions(caller, greeting, channel, { ...options, downlink, read }, handlers);
  }

  /** Whether few enough messages are in progress to read another one. */
  get hasRoom(): boolean {
    return this.inbox.hasRoom && !this.readLimit.isPaused && !this.subscriptions.isBusy;
  }

  /** Whether all messages are settled. */
  get isSettled(): boolean {
    return this.inbox.isEmpty && this.subscriptions.isSettled;
  }

  /** Continues to send once the client has read enough. */
  go(): void {
    this.subscriptions.go();
  }

  /** Handles a packet. @throws PacketRefusal, which ends the connection */
  handle(packet: Packet, bytes: number): void {
    if (packet.cmd === 'publish') return this.publish(packet, bytes);
    if (packet.cmd === 'puback' && this.subscriptions.acknowledge(packet.messageId ?? 0, packet.reasonCode ?? 0))
      return;
    this.readLimit.charge(bytes);
    switch (packet.cmd) {
      case 'pingreq':
        this.channel.send({ cmd: 'pingresp' });
        return this.access.begin(this.greeting.authorization);
      case 'subscribe':
        // It makes the service look for each device.
        this.readLimit.chargePackets(this.subscriptions.deviceCount);
        return this.subscriptions.subscribe(packet);
      case 'unsubscribe':
        return this.subscriptions.unsubscribe(packet);
      // Of a message that the client has acknowledged before, or never got.
      case 'puback':
        return;
      case 'disconnect':
        return this.handlers.disconnected();
      default:
        throw new PacketRefusal(ReasonCode.protocolError, `A ${packet.cmd.toUpperCase()} is not expected here.`);
    }
  }

  /** Counts bytes that arrived of a packet that is not complete. @throws PacketRefusal if they exceed the budget */
  holdPartial(arrived: number): void {
    if (this.incoming === undefined) {
      const exchange = new Exchange();
      this.incoming = { exchange, hold: this.options.store.hold(this.caller, exchange) };
    }
    holdBytes(this.incoming.hold, arrived + chunkCost);
  }

  /** Frees the budget of a packet that was not complete. */
  releasePartial(): void {
    this.incoming?.exchange.end();
    this.incoming = undefined;
  }

  /** Gives up on messages that wait for a rate limit, and sends nothing further. */
  leave(): void {
    this.inbox.leave();
    this.subscriptions.leave();
  }

  /** Ends the session: nothing is read or answered any more. */
  end(): void {
    this.isOver = true;
    this.readLimit.end();
    this.subscriptions.end();
    this.releasePartial();
  }

  private publish(packet: IPublishPacket, bytes: number): void {
    const { qos, retain, topic, properties, messageId = 0 } = packet;
    if (qos === 2) throw new PacketRefusal(ReasonCode.qos, 'QoS is at most 1.');
    if (qos === 1) requireIdentifier(messageId);
    if (this.channel.version === 5 && retain)
      throw new PacketRefusal(ReasonCode.retain, 'Retained messages are not supported.');
    if (topic === '' || properties?.topicAlias !== undefined)
      throw new PacketRefusal(ReasonCode.topicAlias, 'Topic aliases are not supported.');
    this.inbox.take(packet, bytes, this.greeting);
  }

  private acknowledge(answer: MessageOutcome): void {
    if (this.isOver) return;
    const { channel, greeting } = this;
    const { messageId } = answer;
    const refusal = 'refusal' in answer ? answer.refusal : undefined;
    if (refusal && (refusal.isFatal || channel.version === 4)) return this.handlers.disconnect(refusal);
    const { reason, words } = 'refusal' in answer ? wordsOf(answer.refusal) : this.announced(answer);
    channel.send({
      cmd: 'puback',
      messageId,
      reasonCode: reason ?? ReasonCode.success,
      ...(words !== undefined && greeting.wantsWords && { properties: { reasonString: words.slice(0, maxWords) } }),
    });
  }

  /** Begins or ends to speak to a device that the client announced, and returns the reason of its acknowledgement. */
  private announced({ reason, words, announcement }: Exclude<MessageOutcome, { refusal: PacketRefusal }>) {
    const refusal = announcement && this.subscriptions.announce(announcement);
    if (refusal === undefined) return { reason, words };
    this.log('v1/gateway/connect', reasonName(refusal.reason), refusal.message, 'MQTT message refused');
    return wordsOf(refusal);
  }

  /** Logs and counts a refused message. */
  private refuse(packet: IPublishPacket, bytes: number, refusal: PacketRefusal): void {
    const { qos } = packet;
    this.log(packet.topic, reasonName(refusal.reason), refusal.message, 'MQTT message refused');
    if (this.isOver) return;
    this.readLimit.charge(bytes);
    if (qos === 0 && refusal.isFatal) this.handlers.disconnect(refusal);
  }

  /** Logs a message that was stored in part, and counts one of which nothing was stored. */
  private noteIncomplete(packet: IPublishPacket, bytes: number, { words, isIgnored = false }: Heard): void {
    if (words !== undefined) this.log(packet.topic, 'incomplete', words, 'MQTT message stored in part');
    if (isIgnored && !this.isOver) this.readLimit.charge(bytes);
  }

  private log(topic: string, reason: string, words: string, event: string): void {
    const { organizationId, tokenId } = this.caller;
    const fields = { organizationId, topic: topic.slice(0, 100), reason, message: words.slice(0, maxWords) };
    this.options.refused.note(`${tokenId} ${reason}`, fields, event);
  }
}

const wordsOf = ({ reason, message }: PacketRefusal) => ({ reason, words: message });
