import type { Caller } from '../entities/caller.js';
import { timeSlices } from '../time-slice.js';
import type { Paces } from './pace.js';

/** Packets of a connection that are read in one turn of the event loop, at most. */
const packetsATurn = 100;
/** A packet counts as one for each so many bytes: a SUBSCRIBE may name thousands of topics. */
const bytesAPacket = 256;
/** The longest that a connection is not read for its pace, in milliseconds. */
const longestPause = 60_000;

/**
 * Says when a connection may be read: in its organization's slices of the event loop, and as fast as packets that store
 * nothing may come.
 */
export class Turn {
  private packets = 0;
  private pause: 'none' | 'slice' | 'pace' = 'none';
  private timer: NodeJS.Timeout | undefined;
  private readonly spend: (packets: number, now: number) => number;

  /** @param goOn reads what has come meanwhile */
  constructor(
    private readonly caller: Caller,
    paces: Paces,
    private readonly goOn: () => void,
  ) {
    this.spend = paces.of(caller);
  }

  /** Whether what has come waits for the next turn. */
  get isPaused(): boolean {
    return this.pause !== 'none';
  }

  /** Whether another packet may be read in this turn. Where not, the connection goes on by itself. */
  takesPacket(): boolean {
    if (this.isPaused) return false;
    if (this.packets < packetsATurn && !timeSlices.isOver(this.caller.organizationId)) {
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
    const wait = this.spend(1 + Math.floor(bytes / bytesAPacket), now);
    // A pause that has begun ends when it was to: the debt is paid by the next one.
    if (wait === 0 || this.pause === 'pace') return;
    this.pause = 'pace';
    this.timer = setTimeout(() => this.resume(), Math.min(wait, longestPause));
  }

  /** Ends: nothing is read any more. */
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
