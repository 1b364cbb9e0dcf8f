import type { Socket } from 'node:net';
import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet';
import type { Caller } from '#entities/caller.js';
import type { Hold } from '#http/in-flight.js';
import { AccessCheck } from './access-check.js';
import { Channel, type Stream } from './channel.js';
import { connectRefusal, type Greeting, readConnect, tooSmall, unwelcome, welcome } from './handshake.js';
import { type Answer, Inbox, type InboxOptions } from './inbox.js';
import { Exchange, holdBytes, requireSender } from './message.js';
import type { Paces } from './pace.js';
import { PacketBuffer, readPacket, requireIdentifier } from './packet.js';
import { late, nameOf, Reason, Refusal } from './reason.js';
import type { RepeatedEvents } from './repeated.js';
import { answerSubscription } from './subscription.js';
import { Turn } from './turn.js';

/** Functions of the service that a connection uses. */
export interface ConnectionOptions extends InboxOptions {
  /** Resolves the sender without counting. @throws ApiError 401 */
  authenticate: (authorization: string | undefined) => Promise<Caller>;
  /** Reserves a place among the caller's connections. Returns the function that releases it. @throws Refusal */
  takePlace: (caller: Caller) => () => void;
  /** Limits packets that store nothing. */
  paces: Paces;
  /** Logs refusals. */
  refused: RepeatedEvents;
  /** Maximum times, in milliseconds, for a client to send CONNECT, and to send or fetch a packet. */
  times: { connect: number; packet: number };
}

/** Memory that a chunk takes besides its bytes. */
const chunkCost = 200;
const maxWords = 500;

/** One connection of a client. It reads on only while few of its messages are in progress. */
export class Connection {
  private readonly input = new PacketBuffer();
  private readonly channel: Channel;
  private readonly inbox: Inbox;
  private readonly access: AccessCheck;
  private state: 'new' | 'connecting' | 'open' | 'over' = 'new';
  private greeting: Greeting | undefined;
  private caller: Caller | undefined;
  /** Limits how fast the connection is read, once the caller is known. */
  private turn: Turn | undefined;
  private isStopping = false;
  private hasEnded = false;
  private giveBack: (() => void) | undefined;
  /** Budget of a packet that is not complete. */
  private incoming: { exchange: Exchange; hold: Hold } | undefined;
  private watched: 'nothing' | 'packet' | 'drain' = 'nothing';

  /** @param socket the TCP connection @param stream the same connection after TLS */
  constructor(
    private readonly socket: Socket,
    private readonly stream: Stream,
    private readonly options: ConnectionOptions,
  ) {
    this.channel = new Channel(stream);
    this.access = new AccessCheck(options.authenticate, (error) => this.disconnect(options.refusalOf(error)));
    this.inbox = new Inbox(options, socket, {
      answer: (answer) => this.acknowledge(answer),
      refused: (packet, bytes, refusal) => this.refuseMessage(packet, bytes, refusal),
      progress: () => this.process(),
    });
    this.channel.after(options.times.connect, () => this.disconnect(late.connect));
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('end', () => {
      this.hasEnded = true;
      this.endIfDone();
    });
    stream.on('drain', () => this.process());
    stream.on('timeout', () => this.lapse());
    // Errors of a connection concern only its client; `close` follows each of them.
    stream.on('error', () => undefined);
    stream.once('close', () => this.release());
  }

  /** Accepts no more messages, finishes those in progress, and disconnects. */
  stop(): void {
    this.isStopping = true;
    this.inbox.leave();
    if (this.state === 'new' || this.state === 'connecting') this.finish();
    else this.endIfDone();
  }

  destroy(): void {
    this.stream.destroy();
  }

  private get isReading(): boolean {
    const isOpen = (this.state === 'new' || this.state === 'open') && !this.isStopping;
    return isOpen && this.inbox.hasRoom && !this.channel.isFull && this.turn?.isPaused !== true;
  }

  private take(chunk: Buffer): void {
    this.input.add(chunk);
    this.process(chunk.length);
  }

  /** Processes the received packets as far as they may be read now. @param arrived number of new bytes */
  private process(arrived = 0): void {
    if (this.state === 'over') return;
    let packets = 0;
    try {
      while (this.isReading) {
        if (!this.input.hasPacket(this.state === 'open') || this.turn?.takesPacket() === false) break;
        const bytes = this.input.take();
        packets++;
        this.heed(readPacket(bytes, this.channel.version), bytes.length);
      }
      this.count(packets > 0, arrived);
    } catch (error) {
      return this.disconnect(this.options.refusalOf(error));
    }
    this.flow(packets > 0);
    this.endIfDone();
  }

  /** Counts the bytes held of an incomplete packet. */
  private count(isNext: boolean, arrived: number): void {
    if (isNext || !this.input.isPartial) this.forget();
    if (!this.input.isPartial || this.caller === undefined || arrived === 0) return;
    if (this.incoming === undefined) {
      const exchange = new Exchange();
      this.incoming = { exchange, hold: this.options.store.hold(this.caller, exchange) };
    }
    holdBytes(this.incoming.hold, arrived + chunkCost);
  }

  private forget(): void {
    this.incoming?.exchange.end();
    this.incoming = undefined;
  }

  /** Resumes or pauses reading, and sets the timeout of what the client owes. */
  private flow(isNext: boolean): void {
    if (this.isReading) this.stream.resume();
    else this.stream.pause();
    if (this.state !== 'open') return;
    const watched = this.channel.isFull ? 'drain' : this.isReading && this.input.isPartial ? 'packet' : 'nothing';
    if (watched === this.watched && !isNext) return;
    this.watched = watched;
    if (watched === 'nothing') this.channel.forget();
    else this.channel.after(this.options.times.packet, () => this.disconnect(late[watched]));
  }

  private heed(packet: Packet, bytes: number): void {
    if (this.state === 'new') {
      if (packet.cmd !== 'connect') throw new Refusal(Reason.protocolError, 'The first packet must be CONNECT.');
      this.state = 'connecting';
      void this.connect(packet);
      return;
    }
    if (packet.cmd === 'publish') return this.publish(packet, bytes);
    this.turn!.charge(bytes);
    switch (packet.cmd) {
      case 'pingreq':
        this.channel.send({ cmd: 'pingresp' });
        return this.access.begin(this.greeting!.authorization);
      case 'subscribe':
      case 'unsubscribe':
        return void this.channel.send(answerSubscription(packet, this.channel.version));
      case 'disconnect':
        this.hasEnded = true;
        this.isStopping = true;
        return;
      default:
        throw new Refusal(Reason.protocolError, `A ${packet.cmd.toUpperCase()} is not expected here.`);
    }
  }

  private async connect(packet: IConnectPacket): Promise<void> {
    const { options, channel, socket } = this;
    try {
      if (packet.protocolVersion === 5) channel.version = 5;
      channel.maxBytes = packet.properties?.maximumPacketSize;
      const greeting = readConnect(packet);
      const caller = await options.admit(greeting.authorization, socket);
      requireSender(caller);
      if (this.state !== 'connecting') return;
      this.giveBack = options.takePlace(caller);
      this.turn = new Turn(caller, options.paces, () => this.process());
      this.greeting = greeting;
      this.caller = caller;
    } catch (error) {
      return this.refuse(error);
    }
    if (!channel.send(welcome(packet, this.greeting))) return this.disconnect(tooSmall);
    this.state = 'open';
    channel.forget();
    options.metrics.connected('success');
    this.stream.setTimeout(this.greeting.keepAlive * 1500);
    this.process();
  }

  private refuse(error: unknown): void {
    if (this.state !== 'connecting') return;
    const { options, channel } = this;
    const refusal = connectRefusal(error, options.refusalOf);
    options.metrics.connected(nameOf(refusal.reason));
    this.note(refusal.reason, refusal.message);
    channel.send(unwelcome(refusal));
    this.finish();
  }

  private publish(packet: IPublishPacket, bytes: number): void {
    const { qos, retain, topic, properties, messageId = 0 } = packet;
    if (qos === 2) throw new Refusal(Reason.qos, 'QoS is at most 1.');
    if (qos === 1) requireIdentifier(messageId);
    if (this.channel.version === 5 && retain) throw new Refusal(Reason.retain, 'Nothing is retained.');
    if (topic === '' || properties?.topicAlias !== undefined)
      throw new Refusal(Reason.topicAlias, 'Topics have no aliases here.');
    this.inbox.take(packet, bytes, this.greeting!);
  }

  private acknowledge(answer: Answer): void {
    const { channel, greeting } = this;
    if (this.state !== 'open') return;
    const { messageId } = answer;
    const refusal = 'refusal' in answer ? answer.refusal : undefined;
    if (refusal && (refusal.isFatal || channel.version === 4)) return this.disconnect(refusal);
    const words = 'refusal' in answer ? answer.refusal.message : answer.words;
    channel.send({
      cmd: 'puback',
      messageId,
      reasonCode: refusal?.reason ?? Reason.success,
      ...(words !== undefined && greeting!.wantsWords && { properties: { reasonString: words.slice(0, maxWords) } }),
    });
  }

  /** Logs and counts a refused message. */
  private refuseMessage({ qos, topic }: IPublishPacket, bytes: number, refusal: Refusal): void {
    const { organizationId, tokenId } = this.caller!;
    const [reason, message] = [nameOf(refusal.reason), refusal.message.slice(0, maxWords)];
    const fields = { organizationId, topic: topic.slice(0, 100), reason, message };
    this.options.refused.note(`${tokenId} ${reason}`, fields, 'mqtt message refused');
    if (this.state === 'over') return;
    this.turn!.charge(bytes);
    if (qos === 0 && refusal.isFatal) this.disconnect(refusal);
  }

  /** Handles silence beyond the keep-alive. While the connection is not read, the client may have sent something. */
  private lapse(): void {
    if (!this.isReading) this.stream.setTimeout(this.greeting!.keepAlive * 1500);
    else this.disconnect(late.silent);
  }

  /** Ends the connection for a reason, which only MQTT 5 can carry. */
  private disconnect({ reason, message }: Refusal): void {
    if (this.state === 'over') return;
    if (this.state !== 'open') this.options.metrics.connected(nameOf(reason));
    this.note(reason, message);
    if (this.state === 'open') this.goodbye(reason, message);
    this.finish();
  }

  private goodbye(reasonCode: Reason, words: string): void {
    if (this.channel.version !== 5) return;
    this.channel.send({ cmd: 'disconnect', reasonCode, properties: { reasonString: words.slice(0, maxWords) } });
  }

  /** Ends the connection if nothing is in progress and nothing more will come. */
  private endIfDone(): void {
    if (this.state !== 'open' && !(this.hasEnded && this.state === 'new')) return;
    if (!this.inbox.isEmpty || !(this.isStopping || this.hasEnded)) return;
    // Packets that a client sent before its end are still read, after the pause.
    if (this.turn?.isPaused && !this.isStopping) return;
    if (this.isStopping && !this.hasEnded) this.goodbye(Reason.shuttingDown, 'The service is stopping.');
    this.finish();
  }

  private finish(): void {
    this.state = 'over';
    this.turn?.end();
    this.input.clear();
    this.forget();
    this.channel.close();
  }

  private note(reason: Reason, message: string): void {
    const address = this.socket.remoteAddress;
    const fields = { address, reason: nameOf(reason), message };
    this.options.refused.note(`${address} ${reason}`, fields, 'mqtt connection refused');
  }

  private release(): void {
    this.state = 'over';
    this.turn?.end();
    this.input.clear();
    this.inbox.leave();
    this.channel.forget();
    this.forget();
    this.giveBack?.();
  }
}
