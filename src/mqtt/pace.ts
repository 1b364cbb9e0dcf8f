import type { Caller } from '#entities/caller.js';

/** Rate limit of packets that store nothing: pings, subscriptions, refused messages. */
export interface PaceLimit {
  perSecond: number;
  /** Number of packets that may come at once after a pause. */
  burst: number;
}

const ofConnection: PaceLimit = { perSecond: 50, burst: 500 };
const ofDevice: PaceLimit = { perSecond: 100, burst: 1000 };
/** An organization's token may have thousands of connections, each with its own pings. */
const ofToken: PaceLimit = { perSecond: 1000, burst: 10_000 };

/** Computes how long a sender must wait after its packets to stay within the limit. */
export class Pace {
  private paidUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly limit: PaceLimit) {}

  /** Counts packets that were read. Returns the milliseconds until the next one may be read. */
  spend(packets: number, now: number): number {
    const each = 1000 / this.limit.perSecond;
    this.paidUntil = Math.max(this.paidUntil, now) + packets * each;
    return Math.max(0, this.paidUntil - now - this.limit.burst * each);
  }

  /** Whether a new pace would behave the same. */
  isFresh(now: number): boolean {
    return this.paidUntil <= now;
  }
}

/** Number of paces above which those without debt are dropped. */
const maxKept = 10_000;

/** The paces of devices and tokens, which all of their connections share. */
export class Paces {
  private readonly kept = new Map<string, Pace>();

  /**
   * Returns a function that counts the packets of one connection. It returns the milliseconds until the connection may
   * be read again.
   */
  of({ deviceId, tokenId }: Pick<Caller, 'deviceId' | 'tokenId'>): (packets: number, now: number) => number {
    const own = new Pace(ofConnection);
    const [key, limit] = deviceId === null ? [`token ${tokenId}`, ofToken] : [`device ${deviceId}`, ofDevice];
    return (packets, now) => Math.max(own.spend(packets, now), this.shared(key, limit, now).spend(packets, now));
  }

  private shared(key: string, limit: PaceLimit, now: number): Pace {
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    if (this.kept.size >= maxKept) this.forgetFresh(now);
    const pace = new Pace(limit);
    this.kept.set(key, pace);
    return pace;
  }

  private forgetFresh(now: number): void {
    for (const [key, pace] of this.kept) if (pace.isFresh(now)) this.kept.delete(key);
  }
}
