import type { Caller } from '#entities/caller.js';
import { PacketRefusal, ReasonCode } from './reason.js';

/** Maximum numbers of connections. */
export interface PlaceLimits {
  /** Of the process. One organization gets at most three quarters of them. */
  connections: number;
  perToken: number;
}

/** The accepted connections, counted by token, organization and process. */
export class ConnectionSlots {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limits: PlaceLimits) {}

  /** Number of connections. */
  get size(): number {
    return this.taken.get('process') ?? 0;
  }

  /**
   * Reserves a place, and returns the function that releases it.
   * @throws PacketRefusal if none is free
   */
  take({ tokenId, organizationId }: Pick<Caller, 'tokenId' | 'organizationId'>): () => void {
    const { connections, perToken } = this.limits;
    const scopes = [
      { key: `token ${tokenId}`, max: perToken, whose: 'This token' },
      { key: `organization ${organizationId}`, max: Math.ceil((connections * 3) / 4), whose: 'This organization' },
      { key: 'process', max: connections, whose: 'This service' },
    ];
    for (const { key, max, whose } of scopes) {
      if ((this.taken.get(key) ?? 0) >= max)
        throw new PacketRefusal(ReasonCode.quotaExceeded, `${whose} has ${max} connections, which is the maximum.`);
    }
    for (const { key } of scopes) this.add(key, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const { key } of scopes) this.add(key, -1);
    };
  }

  private add(key: string, change: 1 | -1): void {
    const count = (this.taken.get(key) ?? 0) + change;
    if (count === 0) this.taken.delete(key);
    else this.taken.set(key, count);
  }
}
