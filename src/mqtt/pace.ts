import type { Caller } from '../entities/caller.js';

/** Packets that store nothing: signs of life, subscriptions, messages that are refused. */
export interface PaceLimit {
  perSecond: number;
  /** Packets that may come at once after a pause. */
  burst: number;
}

const ofConnection: PaceLimit = { perSecond: 50, burst: 500 };
const ofDevice: PaceLimit = { perSecond: 100, burst: 1000 };
/** An organization's token may have thousands of connections, each with its signs of life. */
const ofToken: PaceLimit = { perSecond: 1000, burst: 10_000 };

/** Says how long a sender waits after its packets, so that they come no faster than the limit. */
export class Pace {
  private paidUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly limit: PaceLimit) {}

  /** Counts packets that were read; returns the milliseconds until the next one may be. */
  spend(packets: number, now: number): number {
    const each = 1000 / this.limit.perSecond;
    this.paidUntil = Math.max(this.paidUntil, now) + packets * each;
    return Math.max(0, this.paidUntil - now - this.limit.burst * each);
  }

  /** Whether a new pace would say the same. */
  isFresh(now: number): boolean {
    return this.paidUntil <= now;
  }
}

/** Paces that are kept before those without debts are forgotten. */
const maxKept = 10_000;

/** The paces of devices and tokens, which all of their connections share. */
export class Paces {
  private readonly kept = new Map<string, Pace>();

  /** Returns what counts the packets of one connection: in milliseconds until it may be read again. */
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
