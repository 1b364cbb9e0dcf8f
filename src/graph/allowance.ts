import { timedOut } from '../errors.js';
import { bounds, exceeded } from './bounds.js';

/** An operation of so many objects is a heavy one. */
const heavyFrom = 1000;

/** What one request may use: objects, over all operations of a batch, and time. */
export class Allowance {
  private spent = 0;
  private readonly stop = new AbortController();

  /** @param milliseconds how long the whole request may take. */
  constructor(
    private readonly milliseconds: number,
    private readonly begun = performance.now(),
  ) {}

  /** Takes the objects of an operation off what is left. Throws where it is not enough, and takes nothing then. */
  spend(cost: number): void {
    const spent = this.spent + cost;
    if (spent > bounds.cost) throw exceeded('cost', spent);
    this.spent = spent;
  }

  /** Whether so much was asked for that statements may take their time, and must be possible to cancel. */
  get heavy(): boolean {
    return this.spent >= heavyFrom;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.begun + this.milliseconds - performance.now();
  }

  /** Refuses to begin something more when the time is over. */
  requireTime(): void {
    if (this.left <= 0) throw timedOut(this.milliseconds);
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** The result of the work, or a refusal when the time is over first. */
  async within<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.stop.abort();
      reject(timedOut(this.milliseconds));
    }, this.left);
    try {
      return await Promise.race([work, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
