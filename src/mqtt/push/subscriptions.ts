import type { ISubscribePacket, IUnsubscribePacket } from 'mqtt-packet';
import type { Downlink } from '#downlink/downlink.js';
import type { Caller } from '#entities/caller.js';
import type { Read } from '#schema/context.js';
import type { Channel } from '../channel.js';
import { publishingDevice } from '../device.js';
import type { Greeting } from '../handshake.js';
import type { MqttMetrics } from '../metrics.js';
import { requireIdentifier } from '../packet.js';
import { PacketRefusal, ReasonCode } from '../reason.js';
import { requireSender } from '../store-message.js';
import { DeviceLine } from './device-line.js';
import { type Filter, readFilter } from './filter.js';
import type { Message } from './message.js';
import { Pump } from './pump.js';
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

/** Bytes that the client has not read above which answers to its requests are dropped. */
const maxUnread = 256 * 1024;

/** The subscriptions of a connection, and what they bring. */
export class Subscriptions {
  /** By topic filter; there are only a few. */
  private readonly granted = new Map<string, Filter>();
  private readonly window: Window;
  private readonly pump: Pump;
  private line: DeviceLine | undefined;
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
      this.line?.want('commands');
      this.line?.want('state');
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
      if (brings === 'commands' || brings === 'state') this.line?.leave(brings, form);
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
    const isSubscribed = [...this.granted.values()].some(({ brings }) => brings === 'answers');
    if (!this.isOver && isSubscribed && this.channel.unreadBytes < maxUnread) this.window.publish(message);
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
    this.line?.end();
  }

  private async grant(topic: string, { brings, form }: Filter, qos: 0 | 1): Promise<Grant> {
    try {
      const line = brings === 'commands' || brings === 'state' ? await this.ownLine() : undefined;
      if (this.isOver) return qos;
      if (brings === 'commands' || brings === 'state') line!.bring(brings, form, qos);
      this.granted.set(topic, { brings, form });
      return qos;
    } catch (error) {
      const refusal = this.options.refusalOf(error);
      if (refusal.isFatal) throw refusal;
      return refusal;
    }
  }

  /** Returns the line of the device that the client is. @throws ApiError 404, 422 */
  private async ownLine(): Promise<DeviceLine> {
    const { caller, greeting, options, window, pump } = this;
    if (this.line !== undefined) return this.line;
    const device = await publishingDevice({ caller, clientId: greeting.clientId }, options.read);
    this.line = new DeviceLine(device, {
      downlink: options.downlink,
      window,
      metrics: options.metrics,
      check: async () => requireSender(await options.authenticate(greeting.authorization)),
      ring: (line) => pump.ring(line),
      run: (work) => this.run(work),
    });
    return this.line;
  }

  private answer(messageId: number, grants: readonly Grant[]): void {
    const { channel, greeting } = this;
    const isNew = channel.version === 5;
    const granted = grants.map((grant) =>
      typeof grant === 'number' ? grant : isNew ? reasonOf(grant) : ReasonCode.unspecified,
    );
    const refusal = grants.find((grant) => grant instanceof PacketRefusal);
    const words = refusal && isNew && greeting.wantsWords ? { properties: { reasonString: refusal.message } } : {};
    channel.send({ cmd: 'suback', messageId, granted, ...words });
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

/** The granted QoS, or the refusal of a subscription. */
type Grant = 0 | 1 | PacketRefusal;

/** Returns the reason of a refusal as a SUBACK may have it (MQTT 5.0, section 3.9.3). */
const reasonOf = ({ reason }: PacketRefusal): ReasonCode => (ofSuback.has(reason) ? reason : ReasonCode.implementation);

const ofSuback: ReadonlySet<ReasonCode> = new Set([
  ReasonCode.notAuthorized,
  ReasonCode.topicFilter,
  ReasonCode.quotaExceeded,
  ReasonCode.sharedSubscription,
]);

const filterOf = (topic: string): Filter | PacketRefusal => {
  try {
    return readFilter(topic);
  } catch (error) {
    if (error instanceof PacketRefusal) return error;
    throw error;
  }
};
