import type { ISubscribePacket, IUnsubscribePacket } from 'mqtt-packet';
import type { DeviceName, Downlink } from '#downlink/downlink.js';
import type { Caller } from '#entities/caller.js';
import type { Read } from '#schema/context.js';
import type { Channel } from '../channel.js';
import { type Announcement, publishingDevice } from '../device.js';
import type { Greeting } from '../handshake.js';
import type { MqttMetrics } from '../metrics.js';
import { requireIdentifier } from '../packet.js';
import { PacketRefusal, ReasonCode } from '../reason.js';
import { requireSender } from '../store-message.js';
import { DeviceLine } from './device-line.js';
import type { Filter, Form } from './filter.js';
import type { Message } from './message.js';
import { Pump } from './pump.js';
import { filterOf, type Grant, subackOf } from './suback.js';
import { Window } from './window.js';

/** Functions of the service that subscriptions use. */
export interface SubscriptionOptions {
  downlink: Downlink;
  read: Read;
  /** Resolves the subscriber without counting. @throws ApiError 401 */
  authenticate: (authorization: string | undefined) => Promise<Caller>;
  /** Translates any error into the refusal that the client gets. */
  refusalOf: (error: unknown) => PacketRefusal;
  metrics: MqttMetrics;
}

/** Functions of the connection that subscriptions use. */
interface Handlers {
  disconnect: (refusal: PacketRefusal) => void;
  /** Called when work is done, or packets were sent. */
  progress: () => void;
}

/** Maximum number of devices that a gateway speaks for over one connection. */
const maxAnnounced = 1000;

/** Bytes that the client has not read above which answers to its requests are dropped. */
const maxUnread = 256 * 1024;

/** The subscriptions of a connection, and what they bring. */
export class Subscriptions {
  /** By topic filter; there are only a few. */
  private readonly granted = new Map<string, Filter & { qos: 0 | 1 }>();
  private readonly window: Window;
  private readonly pump: Pump;
  private line: DeviceLine | undefined;
  /** Lines of the devices that a gateway announced, by their identifiers. */
  private readonly announced = new Map<string, DeviceLine>();
  /** Number of pieces of work in progress. */
  private working = 0;
  private isSubscribing = false;
  private isOver = false;

  constructor(
    private readonly caller: Caller,
    private readonly greeting: Greeting,
    private readonly channel: Channel,
    private readonly options: SubscriptionOptions,
    private readonly handlers: Handlers,
  ) {
    this.window = new Window(channel, greeting.receiveMaximum);
    this.pump = new Pump(channel, (work) => this.run(work));
  }

  /** Whether a SUBSCRIBE is not answered yet. */
  get isBusy(): boolean {
    return this.isSubscribing;
  }

  /** Number of devices that a SUBSCRIBE may bring something for. */
  get deviceCount(): number {
    return this.announced.size;
  }

  /** Whether no work is in progress. */
  get isSettled(): boolean {
    return this.working === 0;
  }

  /** Answers a SUBSCRIBE, and brings what it asks for. @throws PacketRefusal, which ends the connection */
  subscribe({ messageId = 0, subscriptions, properties }: ISubscribePacket): void {
    requireIdentifier(messageId);
    if (subscriptions.length === 0) throw new PacketRefusal(ReasonCode.protocolError, 'SUBSCRIBE must name a topic.');
    if (properties?.subscriptionIdentifier !== undefined)
      throw new PacketRefusal(ReasonCode.subscriptionIdentifier, 'Subscription identifiers are not supported.');
    const wanted = subscriptions.map(
      ({ topic, qos }) => ({ topic, qos: qos === 0 ? 0 : 1, filter: filterOf(topic) }) as const,
    );
    if (wanted.every(({ filter }) => filter instanceof PacketRefusal))
      return this.answer(
        messageId,
        wanted.map(({ filter }) => filter as PacketRefusal),
      );
    this.isSubscribing = true;
    this.run(async () => {
      const codes: Grant[] = [];
      for (const { topic, qos, filter } of wanted)
        codes.push(filter instanceof PacketRefusal ? filter : await this.grant(topic, filter, qos));
      if (this.isOver) return;
      this.isSubscribing = false;
      this.answer(messageId, codes);
      // After the SUBACK, which some clients wait for.
      for (const line of this.lines) wantAll(line);
    });
  }

  /** Answers an UNSUBSCRIBE. @throws PacketRefusal, which ends the connection */
  unsubscribe({ messageId = 0, unsubscriptions }: IUnsubscribePacket): void {
    requireIdentifier(messageId);
    const granted = unsubscriptions.map((topic) => {
      const filter = this.granted.get(topic);
      if (filter === undefined) return ReasonCode.noSubscription;
      this.granted.delete(topic);
      const { brings, form } = filter;
      if (brings === 'commands' || brings === 'state') for (const line of this.linesOf(form)) line.leave(brings, form);
      return ReasonCode.success;
    });
    this.channel.send({ cmd: 'unsuback', messageId, granted });
  }

  /** Takes a PUBACK. Returns false if it acknowledges nothing. */
  acknowledge(messageId: number, reason: number): boolean {
    const isKnown = this.window.acknowledge(messageId, reason);
    if (isKnown) this.pump.acknowledged();
    return isKnown;
  }

  /** Sends the answer to a request of the client, if it has subscribed to answers and reads them. */
  reply(message: Message): void {
    const wanted: Form = message.topic.startsWith('v1/gateway/') ? 'gateway' : 'thingsBoard';
    const isSubscribed = [...this.granted.values()].some(({ brings, form }) => brings === 'answers' && form === wanted);
    if (!this.isOver && isSubscribed && this.channel.unreadBytes < maxUnread) this.window.publish(message);
  }

  /**
   * Begins or ends to bring a gateway what is for one of its devices.
   * @returns the reason why it does not begin
   */
  announce({ device, name, isHere }: Announcement): PacketRefusal | undefined {
    const known = this.announced.get(device.id);
    if (!isHere && known !== undefined) {
      this.announced.delete(device.id);
      this.pump.remove(known);
      known.end();
    }
    if (!isHere || known !== undefined || this.isOver) return undefined;
    if (this.announced.size >= maxAnnounced)
      return new PacketRefusal(
        ReasonCode.quotaExceeded,
        `A connection speaks for at most ${maxAnnounced} devices: disconnect some, or connect again for others.`,
      );
    const line = this.newLine(device, name);
    try {
      for (const { brings, form, qos } of this.granted.values())
        if (form === 'gateway' && (brings === 'commands' || brings === 'state')) line.bring(brings, form, qos);
    } catch (error) {
      line.end();
      return this.options.refusalOf(error);
    }
    this.announced.set(device.id, line);
    wantAll(line);
    return undefined;
  }

  /** Continues to send once the client has read enough. */
  go(): void {
    this.pump.go();
  }

  /** Sends nothing further. */
  leave(): void {
    this.pump.end();
  }

  /** Ends all subscriptions. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.pump.end();
    for (const line of this.lines) line.end();
  }

  private async grant(topic: string, { brings, form }: Filter, qos: 0 | 1): Promise<Grant> {
    try {
      if (form === 'gateway') requireSender(this.caller, 'organization');
      if (brings === 'commands' || brings === 'state') {
        if (form !== 'gateway') await this.ownLine();
        if (this.isOver) return qos;
        for (const line of this.linesOf(form)) line.bring(brings, form, qos);
      }
      this.granted.set(topic, { brings, form, qos });
      return qos;
    } catch (error) {
      const refusal = this.options.refusalOf(error);
      if (refusal.isFatal) throw refusal;
      return refusal;
    }
  }

  /** Returns the line of the device that the client is. @throws ApiError 404, 422 */
  private async ownLine(): Promise<DeviceLine> {
    const { caller, greeting, options } = this;
    if (this.line !== undefined) return this.line;
    const device = await publishingDevice({ caller, clientId: greeting.clientId }, options.read);
    this.line = this.newLine(device, '');
    return this.line;
  }

  /** @param name name of the device for a gateway; empty for the device itself */
  private newLine(device: DeviceName, name: string): DeviceLine {
    const { greeting, options, window, pump } = this;
    return new DeviceLine(device, {
      downlink: options.downlink,
      window,
      metrics: options.metrics,
      check: async () =>
        requireSender(await options.authenticate(greeting.authorization), name === '' ? 'device' : 'organization'),
      ring: (line) => pump.ring(line),
      run: (work) => this.run(work),
      name,
    });
  }

  private get lines(): DeviceLine[] {
    return [...(this.line === undefined ? [] : [this.line]), ...this.announced.values()];
  }

  /** Returns the lines to which subscriptions of a form bring something. */
  private linesOf(form: Form): DeviceLine[] {
    if (form === 'gateway') return [...this.announced.values()];
    return this.line === undefined ? [] : [this.line];
  }

  private answer(messageId: number, grants: readonly Grant[]): void {
    const { channel, greeting } = this;
    channel.send(subackOf(messageId, grants, { isNew: channel.version === 5, wantsWords: greeting.wantsWords }));
  }

  /** Runs work whose failure ends the connection. */
  private run(work: () => Promise<unknown>): void {
    this.working++;
    work()
      .catch((error: unknown) => this.handlers.disconnect(this.options.refusalOf(error)))
      .finally(() => {
        this.working--;
        this.handlers.progress();
      });
  }
}

const wantAll = (line: DeviceLine): void => {
  line.want('commands');
  line.want('state');
};
