import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '#common/log.js';
import type { WalPosition } from './position.js';
import { connectToStandby, type Identity, type StandbyConnection } from './standby-connection.js';

/**
 * Longest wait for a standby to replay what the primary had acknowledged, in milliseconds. In one data centre it takes
 * a few; a standby that takes longer is left until it has caught up.
 */
const longestWait = 100;
/** Longest pause between two polls of a standby's position, in milliseconds. */
const longestPause = 8;
/** Minimum time between two log lines that it lags, in milliseconds. */
const warnEvery = 60_000;
/** Number of positions that are remembered: those of some ten minutes. */
const maxSeen = 1200;

/** `behind`: too slow for reads. `away`: unreachable, promoted, or no standby of this database. */
type State = 'ready' | 'behind' | 'away';

export interface StandbyOptions {
  readonly connectionString: string;
  /** Pools for its reads. */
  readonly pools: readonly pg.Pool[];
  readonly log: Log;
}

/** Returns host and port of a server. */
export const hostAndPort = (connectionString: string): string => {
  const { hostname, port } = new URL(connectionString);
  return `${hostname}:${port || 5432}`;
};

/** A streaming replica that answers reads. It knows how far the replica has replayed the primary's log. */
export class Standby {
  /** Host and port, for logs and metrics. */
  readonly name: string;
  /** Number of reads under way. */
  reads = 0;
  /** Number of times that it was left as `away`. A read during which this changes may have seen another database. */
  departures = 0;
  private state: State = 'away';
  private known: WalPosition = { timeline: 0, bytes: 0 };
  private connection: StandbyConnection | undefined;
  private asking: Promise<void> | undefined;
  private readonly clients = new Set<pg.PoolClient>();
  /** Positions of the primary, the oldest first, with the times (`performance.now`) at which they were read. */
  private readonly seen: { readonly position: WalPosition; readonly at: number }[] = [];
  /** Last reason for being away, so that each is logged once. */
  private reason = '';
  /** Whether the log has to say that it answers reads. */
  private isNews = true;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: StandbyOptions) {
    this.name = hostAndPort(options.connectionString);
    for (const pool of options.pools) {
      pool.on('connect', (client) => this.clients.add(client));
      pool.on('remove', (client) => this.clients.delete(client));
    }
  }

  get isReady(): boolean {
    return this.state === 'ready';
  }

  /**
   * Returns the replication lag in seconds: the time for which the standby has lacked a position that the primary
   * acknowledged.
   */
  lag(): number {
    const missing = this.seen.find(({ position }) => !this.has(position));
    return missing === undefined ? 0 : (performance.now() - missing.at) / 1000;
  }

  /** Whether it is known to have everything up to a position. */
  has({ timeline, bytes }: WalPosition): boolean {
    return this.known.timeline === timeline && this.known.bytes >= bytes;
  }

  /** Waits until it has everything up to a position. Returns false, and leaves it, if that takes too long. */
  async reach(position: WalPosition): Promise<boolean> {
    const until = performance.now() + longestWait;
    for (let pause = 1; this.isReady; pause = Math.min(2 * pause, longestPause)) {
      await this.ask();
      if (this.has(position)) return this.isReady;
      if (performance.now() >= until) this.become('behind');
      else await delay(pause);
    }
    return false;
  }

  /** Connects if necessary, and decides whether it is used: it must reach the primary's present position in time. */
  async examine(primary: Identity, position: WalPosition): Promise<void> {
    this.see(position);
    try {
      this.connection ??= await this.connect(primary);
    } catch (error) {
      return this.leave(error);
    }
    if (this.state === 'away') this.state = 'behind';
    const until = performance.now() + longestWait;
    do {
      await this.ask();
      if (this.connection === undefined) return;
      if (this.has(position)) return this.become('ready');
      await delay(longestPause);
    } while (performance.now() < until);
    this.become('behind');
  }

  /** Stops using the standby until the next check, and breaks its connections: its reads fail and go to the primary. */
  leave(cause: unknown): void {
    const { message } = cause as Error;
    if (this.state !== 'away' || this.reason !== message)
      this.options.log.warn({ standby: this.name, reason: message }, 'The standby is away; the primary answers.');
    this.reason = message;
    this.isNews = true;
    this.state = 'away';
    this.departures += 1;
    this.close();
    for (const client of this.clients) client.connection.stream.destroy();
  }

  /** Asks at once whether it is still there, after a read has lost its connection. */
  doubt(): void {
    void this.ask();
  }

  close(): void {
    const { connection } = this;
    this.connection = undefined;
    connection?.close();
  }

  private async connect(primary: Identity): Promise<StandbyConnection> {
    let made: StandbyConnection | undefined;
    made = await connectToStandby(this.options.connectionString, primary, (cause) => {
      if (made !== undefined && this.connection === made) this.leave(cause);
    });
    return made;
  }

  /** Remembers a position of the primary until it is replayed, for the lag. */
  private see(position: WalPosition): void {
    this.seen.push({ position, at: performance.now() });
    this.seen.splice(0, this.seen.findLastIndex(({ position: each }) => this.has(each)) + 1);
    // The oldest one stays, because the lag begins there.
    if (this.seen.length > maxSeen) this.seen.splice(1, 1);
  }

  /** Asks how far it is. Callers that come meanwhile share the answer, which is never ahead of the truth. */
  private ask(): Promise<void> {
    this.asking ??= this.askNow().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askNow(): Promise<void> {
    const { connection } = this;
    try {
      if (connection) this.known = await connection.replayed();
    } catch (error) {
      // When the connection breaks, its own handler calls `leave`.
      if (this.connection === connection) this.leave(error);
    }
  }

  private become(state: 'ready' | 'behind'): void {
    if (this.state === state || this.connection === undefined) return;
    const { log } = this.options;
    const now = performance.now();
    if (state === 'ready' && this.isNews) {
      log.info({ standby: this.name }, 'The standby answers reads.');
      this.isNews = false;
    }
    // A standby that is nearly too slow changes its state each second.
    if (state === 'behind' && this.state === 'ready' && now - this.warnedAt > warnEvery) {
      log.warn({ standby: this.name }, 'The standby lags; the primary answers.');
      this.isNews = true;
      this.warnedAt = now;
    }
    this.state = state;
  }
}
