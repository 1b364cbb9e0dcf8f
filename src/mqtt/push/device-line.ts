import type { DesiredPart } from '#downlink/device-state.js';
import type { DeviceName, Downlink } from '#downlink/downlink.js';
import type { HandedCommand } from '#entities/command.js';
import type { MqttMetrics } from '../metrics.js';
import type { Form } from './filter.js';
import { commandMessage, stateMessage } from './message.js';
import type { Window } from './window.js';

/** Milliseconds after which a command without a PUBACK is sent again, as a new message (MQTT 5.0, section 4.4). */
const again = 30_000;
/** Maximum number of commands that are taken at once at QoS 0. */
const atOnce = 10;

/** Functions of the service and the connection that lines use. */
export interface LineOptions {
  downlink: Pick<Downlink, 'watch' | 'take' | 'note' | 'release' | 'desired'>;
  window: Window;
  metrics: Pick<MqttMetrics, 'sent'>;
  /** Checks that the client may still get something. @throws ApiError 401 */
  check: () => Promise<unknown>;
  /** Asks for a call of {@link DeviceLine.step}. */
  ring: (line: DeviceLine) => void;
  /** Runs work whose failure ends the connection. */
  run: (work: () => Promise<unknown>) => void;
  /** Name of the device for a gateway; empty for the device itself. */
  name: string;
}

/** Subscription of a device to its commands. */
interface CommandFeed {
  form: Form;
  qos: 0 | 1;
  end: () => void;
}

/** Subscription of a device to its desired state. */
interface StateFeed {
  form: Form;
  /** Time of the last change that was looked at; null before the first look. */
  after: string | null;
  end: () => void;
}

/** Brings a device its commands, one after the other, and its desired state over one connection. */
export class DeviceLine {
  private readonly commands = new Map<Form, CommandFeed>();
  private readonly states = new Map<Form, StateFeed>();
  private wantsCommands = false;
  private wantsState = false;
  /** Times at which commands were taken that the device has not acknowledged, by identifier. */
  private readonly inFlight = new Map<string, number>();
  private isOver = false;

  constructor(
    private readonly device: DeviceName,
    private readonly options: LineOptions,
  ) {}

  /** Brings commands, or the state, in a form. @throws rateLimited */
  bring(what: 'commands' | 'state', form: Form, qos: 0 | 1): void {
    const feeds = what === 'commands' ? this.commands : this.states;
    const end = this.options.downlink.watch(this.device, what, () => this.want(what));
    feeds.get(form)?.end();
    if (what === 'commands') this.commands.set(form, { form, qos, end });
    else this.states.set(form, { form, after: null, end });
  }

  /** Brings something in a form no more. */
  leave(what: 'commands' | 'state', form: Form): void {
    const feeds = what === 'commands' ? this.commands : this.states;
    feeds.get(form)?.end();
    feeds.delete(form);
  }

  want(what: 'commands' | 'state'): void {
    if (what === 'commands') this.wantsCommands = true;
    else this.wantsState = true;
    this.options.ring(this);
  }

  /** Whether commands wait for room in the window. */
  get isBlocked(): boolean {
    return this.wantsCommands;
  }

  /** Sends what there is, as far as the client has room. */
  async step(): Promise<void> {
    if (this.wantsState) {
      this.wantsState = false;
      for (const feed of this.states.values()) await this.sendState(feed);
    }
    const [feed] = this.commands.values();
    if (feed === undefined) this.wantsCommands = false;
    else if (this.wantsCommands && (feed.qos === 0 || this.options.window.hasRoom)) {
      this.wantsCommands = false;
      await this.sendCommands(feed);
    }
  }

  /** Ends the line. What the device has not acknowledged is due again. */
  end(): void {
    this.isOver = true;
    for (const { end } of [...this.commands.values(), ...this.states.values()]) end();
    // Older ones are due anyway, and another connection may have taken them.
    const now = performance.now();
    const recent = [...this.inFlight].filter(([, takenAt]) => now - takenAt < again).map(([id]) => id);
    if (recent.length > 0) this.options.downlink.release(this.device.id, recent);
  }

  private async sendCommands({ form, qos }: CommandFeed): Promise<void> {
    const { downlink, check } = this.options;
    await check();
    if (this.isOver) return;
    const how = qos === 0 ? { limit: atOnce, again: undefined } : { limit: 1, again };
    const commands = await downlink.take(this.device.id, how);
    if (commands.length === 0) return;
    // Again, so that no command comes that was sent after the token was revoked.
    const refusal = await check().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (refusal !== undefined || this.isOver || !this.commands.has(form)) {
      const ids = commands.map(({ id }) => id);
      downlink.release(this.device.id, ids);
      if (refusal !== undefined) throw refusal.error;
      return;
    }
    for (const command of commands) this.send(command, form, qos);
    if (qos === 0) this.want('commands');
  }

  private send(command: HandedCommand, form: Form, qos: 0 | 1): void {
    const { window } = this.options;
    const { id } = command;
    const message = commandMessage(form, command, this.options.name);
    const isSent = qos === 0 ? window.publish(message) : window.publish(message, (reason) => this.received(id, reason));
    if (!isSent) return this.note(id, 'failed', 'TOO_LARGE');
    this.options.metrics.sent('command');
    if (qos === 1) this.inFlight.set(id, performance.now());
  }

  private received(id: string, reason: number): void {
    this.inFlight.delete(id);
    if (reason < 0x80) this.note(id, 'received');
    else this.note(id, 'failed', 'REFUSED', { reason: `0x${reason.toString(16)}` });
  }

  /** Stores evidence, after which the next command may be due. */
  private note(id: string, kind: 'received' | 'failed', code?: string, detail?: object): void {
    const { downlink, run } = this.options;
    const source = code === 'TOO_LARGE' ? 'service' : 'device';
    run(() => downlink.note({ id, deviceId: this.device.id }, { source, kind, code, detail }));
  }

  private async sendState(feed: StateFeed): Promise<void> {
    const { downlink, check } = this.options;
    await check();
    const { after, form } = feed;
    const parts = await downlink.desired(this.device.id, after);
    if (this.isOver || this.states.get(form) !== feed) return;
    feed.after = parts.at(-1)?.at ?? after ?? '-infinity';
    // The device may know what it has settled, so that only changes of that are news.
    const news = after === null ? parts.filter(({ settled }) => !settled) : parts;
    if (news.length > 0) this.sendParts(form, news);
  }

  /** Sends desired values together, or each by itself if the client does not accept a message of all. */
  private sendParts(form: Form, parts: readonly DesiredPart[]): void {
    const { window, metrics, name } = this.options;
    const send = (some: readonly DesiredPart[]) => {
      const isSent = window.publish(stateMessage(form, some, name));
      if (isSent) metrics.sent('state');
      return isSent;
    };
    if (send(parts) || parts.length === 1) return;
    for (const part of parts) send([part]);
  }
}
