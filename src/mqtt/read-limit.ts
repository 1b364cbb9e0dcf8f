import type { Caller } from '#entities/caller.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Paces } from './pace.js';

/** Maximum number of packets of a connection that are read in one iteration of the event loop. */
const maxPackets = 100;
/** Number of bytes of a packet that count as one more packet, because a SUBSCRIBE may name thousands of topics. */
const bytesPerPacket = 256;
/** Maximum time that a rate limit pauses a connection, in milliseconds. */
const maxPause = 60_000;

/**
 * Decides when a connection may be read: in its organization's time slices of the event loop, and within the rate limit
 * of packets that store nothing.
 */
export class ReadLimit {
  private packets = 0;
  private pause: 'none' | 'slice' | 'pace' = 'none';
  private timer: NodeJS.Timeout | undefined;
  private readonly spend: (packets: number, now: number) => number;

  /** @param goOn reads what has arrived in the meantime */
  constructor(
    private readonly caller: Caller,
    paces: Paces,
    private readonly goOn: () => void,
  ) {
    this.spend = paces.of(caller);
  }

  /** Whether received packets wait. */
  get isPaused(): boolean {
    return this.pause !== 'none';
  }

  /** Whether another packet may be read now. If not, the connection resumes by itself. */
  takesPacket(): boolean {
    if (this.isPaused) return false;
    if (this.packets < maxPackets && !timeSlices.isOver(this.caller.organizationId)) {
      this.packets++;
      return true;
    }
    this.pause = 'slice';
    void timeSlices.next(this.caller.organizationId).then(() => {
      if (this.pause === 'slice') this.resume();
    });
    return false;
  }

  /** Counts a packet that stores nothing. */
  charge(bytes: number, now = performance.now()): void {
    this.chargePackets(1 + Math.floor(bytes / bytesPerPacket), now);
  }

  /** Counts work that takes as much as this many such packets. */
  chargePackets(count: number, now = performance.now()): void {
    if (count === 0) return;
    const wait = this.spend(count, now);
    // A pause in progress ends at its original time; the next pause includes the rest of the debt.
    if (wait === 0 || this.pause === 'pace') return;
    this.pause = 'pace';
    this.timer = setTimeout(() => this.resume(), Math.min(wait, maxPause));
  }

  /** Ends reading for good. */
  end(): void {
    clearTimeout(this.timer);
    this.pause = 'pace';
  }

  private resume(): void {
    this.pause = 'none';
    this.packets = 0;
    this.goOn();
  }
}
