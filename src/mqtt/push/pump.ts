import type { Channel } from '../channel.js';
import type { DeviceLine } from './device-line.js';

/**
 * Sends what there is for the devices of a connection, one device after the other, and nothing while the client reads too
 * slowly.
 */
export class Pump {
  /** Lines that may have something to send. */
  private readonly rung = new Set<DeviceLine>();
  /** Lines that wait for the client to acknowledge messages. */
  private readonly blocked = new Set<DeviceLine>();
  private isRunning = false;
  private isOver = false;

  /** @param run runs work whose failure ends the connection */
  constructor(
    private readonly channel: Channel,
    private readonly run: (work: () => Promise<unknown>) => void,
  ) {}

  /** Asks for a step of a line. */
  ring(line: DeviceLine): void {
    this.rung.add(line);
    this.go();
  }

  /** Continues once the client has room. */
  go(): void {
    if (this.isRunning || !this.hasWork) return;
    this.isRunning = true;
    this.run(() => this.work());
  }

  /** Continues with lines that waited for an acknowledgement. */
  acknowledged(): void {
    for (const line of this.blocked) this.rung.add(line);
    this.blocked.clear();
    this.go();
  }

  /** Drops a line. */
  remove(line: DeviceLine): void {
    this.rung.delete(line);
    this.blocked.delete(line);
  }

  /** Begins no further step. */
  end(): void {
    this.isOver = true;
  }

  private get hasWork(): boolean {
    return !this.isOver && !this.channel.isFull && this.rung.size > 0;
  }

  private async work(): Promise<void> {
    try {
      while (this.hasWork) {
        const [line] = this.rung as Set<DeviceLine> & Iterable<DeviceLine>;
        this.rung.delete(line!);
        await line!.step();
        if (line!.isBlocked) this.blocked.add(line!);
      }
    } finally {
      this.isRunning = false;
    }
  }
}
