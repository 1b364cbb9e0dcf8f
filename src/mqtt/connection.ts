import type { Socket } from 'node:net';
import type { IConnectPacket, Packet } from 'mqtt-packet';
import type { Caller } from '#entities/caller.js';
import { Channel, type MqttStream } from './channel.js';
import { acceptConnection, connectRefusal, readConnect, refuseConnection, tooSmall } from './handshake.js';
import { PacketBuffer, readPacket } from './packet.js';
import { late, PacketRefusal, ReasonCode, reasonName } from './reason.js';
import { MqttSession, maxWords, type SessionOptions } from './session.js';
import { requireSender } from './store-message.js';

/** Functions of the service that a connection uses. */
export interface ConnectionOptions extends SessionOptions {
  /** Reserves a place among the caller's connections. Returns the function that releases it. @throws PacketRefusal */
  takePlace: (caller: Caller) => () => void;
  /** Maximum times, in milliseconds, for a client to send CONNECT, and to send or fetch a packet. */
  times: { connect: number; packet: number };
}

/** One connection of a client. It stops reading while too many of its messages are in progress. */
export class MqttConnection {
  private readonly input = new PacketBuffer();
  private readonly channel: Channel;
  private state: 'new' | 'connecting' | 'open' | 'over' = 'new';
  /** Set once the CONNECT is accepted. */
  private session: MqttSession | undefined;
  private isStopping = false;
  private hasEnded = false;
  private releasePlace: (() => void) | undefined;
  /** Timer of the keep-alive. */
  private silence: NodeJS.Timeout | undefined;
  private watched: 'nothing' | 'packet' | 'drain' = 'nothing';

  /** @param socket the TCP connection @param stream the same connection after TLS */
  constructor(
    private readonly socket: Socket,
    private readonly stream: MqttStream,
    private readonly options: ConnectionOptions,
  ) {
    this.channel = new Channel(stream);
    this.channel.after(options.times.connect, () => this.disconnect(late.connect));
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('end', () => {
      this.hasEnded = true;
      this.endIfDone();
    });
    stream.on('drain', () => this.process());
    // Errors of a connection concern only its client; `close` follows each of them.
    stream.on('error', () => undefined);
    stream.once('close', () => this.release());
  }

  /** Accepts no more messages, finishes those in progress, and disconnects. */
  stop(): void {
    this.isStopping = true;
    this.session?.leave();
    if (this.state === 'new' || this.state === 'connecting') this.finish();
    else this.endIfDone();
  }

  destroy(): void {
    this.stream.destroy();
  }

  private get isReading(): boolean {
    const isOpen = (this.state === 'new' || this.state === 'open') && !this.isStopping;
    return isOpen && !this.channel.isFull && this.session?.hasRoom !== false;
  }

  private take(chunk: Buffer): void {
    this.input.add(chunk);
    this.silence?.refresh();
    this.process(chunk.length);
  }

  /** Processes the received packets as far as they may be read now. @param arrived number of new bytes */
  private process(arrived = 0): void {
    if (this.state === 'over') return;
    let packets = 0;
    try {
      while (this.isReading) {
        if (!this.input.hasPacket(this.state === 'open') || this.session?.readLimit.takesPacket() === false) break;
        const bytes = this.input.take();
        packets++;
        this.handle(readPacket(bytes, this.channel.version), bytes.length);
      }
      if (packets > 0 || !this.input.isPartial) this.session?.releasePartial();
      if (this.input.isPartial && arrived > 0) this.session?.holdPartial(arrived);
    } catch (error) {
      return this.disconnect(this.options.refusalOf(error));
    }
    this.session?.go();
    this.flow(packets > 0);
    this.endIfDone();
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

  private handle(packet: Packet, bytes: number): void {
    if (this.session !== undefined) return this.session.handle(packet, bytes);
    if (packet.cmd !== 'connect')
      throw new PacketRefusal(ReasonCode.protocolError, 'The first packet must be CONNECT.');
    this.state = 'connecting';
    void this.connect(packet);
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
      this.releasePlace = options.takePlace(caller);
      this.session = new MqttSession(caller, greeting, channel, socket, options, {
        disconnect: (refusal) => this.disconnect(refusal),
        disconnected: () => {
          this.hasEnded = true;
          this.isStopping = true;
        },
        progress: () => this.process(),
      });
    } catch (error) {
      return this.refuse(error);
    }
    const { greeting } = this.session;
    if (!channel.send(acceptConnection(packet, greeting))) return this.disconnect(tooSmall);
    this.state = 'open';
    channel.forget();
    options.metrics.connected('success');
    // Not the timeout of the stream, which what the service sends would put off.
    this.silence = setTimeout(() => this.lapse(), greeting.keepAlive * 1500);
    this.process();
  }

  private refuse(error: unknown): void {
    if (this.state !== 'connecting') return;
    const { options, channel } = this;
    const refusal = connectRefusal(error, options.refusalOf);
    options.metrics.connected(reasonName(refusal.reason));
    this.note(refusal.reason, refusal.message);
    channel.send(refuseConnection(refusal));
    this.finish();
  }

  /** Handles silence beyond the keep-alive. While the connection is not read, the client may have sent something. */
  private lapse(): void {
    if (!this.isReading) this.silence?.refresh();
    else this.disconnect(late.silent);
  }

  /** Ends the connection for a reason, which only MQTT 5 can carry. */
  private disconnect({ reason, message }: PacketRefusal): void {
    if (this.state === 'over') return;
    if (this.state !== 'open') this.options.metrics.connected(reasonName(reason));
    this.note(reason, message);
    if (this.state === 'open') this.goodbye(reason, message);
    this.finish();
  }

  private goodbye(reasonCode: ReasonCode, words: string): void {
    if (this.channel.version !== 5) return;
    this.channel.send({ cmd: 'disconnect', reasonCode, properties: { reasonString: words.slice(0, maxWords) } });
  }

  /** Ends the connection if nothing is in progress and nothing more will come. */
  private endIfDone(): void {
    if (this.state !== 'open' && !(this.hasEnded && this.state === 'new')) return;
    if (this.session?.isSettled === false || !(this.isStopping || this.hasEnded)) return;
    // Packets that a client sent before its end are still read, after the pause.
    if (this.session?.readLimit.isPaused && !this.isStopping) return;
    if (this.isStopping && !this.hasEnded) this.goodbye(ReasonCode.shuttingDown, 'The service is stopping.');
    this.finish();
  }

  private finish(): void {
    this.state = 'over';
    clearTimeout(this.silence);
    this.session?.end();
    this.input.clear();
    this.channel.close();
  }

  private note(reason: ReasonCode, message: string): void {
    const address = this.socket.remoteAddress;
    const fields = { address, reason: reasonName(reason), message };
    this.options.refused.note(`${address} ${reason}`, fields, 'MQTT connection refused');
  }

  private release(): void {
    this.state = 'over';
    clearTimeout(this.silence);
    this.session?.leave();
    this.session?.end();
    this.input.clear();
    this.channel.forget();
    this.releasePlace?.();
  }
}
