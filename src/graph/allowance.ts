import { timedOut } from '../errors.js';
import { bounds, exceeded } from './bounds.js';

/** From this cost on, in objects, an operation is heavy. */
const heavyFrom = 1000;

/** The budget of one request: objects, over all operations of a batch, and time. */
export class Allowance {
  private spent = 0;
  private readonly stop = new AbortController();

  /** @param milliseconds how long the whole request may take. */
  constructor(
    private readonly milliseconds: number,
    private readonly begun = performance.now(),
  ) {}

  /** Takes the cost of an operation from the budget. Throws where too little is left, and then takes nothing. */
  spend(cost: number): void {
    const spent = this.spent + cost;
    if (spent > bounds.cost) throw exceeded('cost', spent);
    this.spent = spent;
  }

  /** Whether the request is so large that its statements may be slow and have to be cancellable. */
  get heavy(): boolean {
    return this.spent >= heavyFrom;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.begun + this.milliseconds - performance.now();
  }

  /** Throws when the time is over, so that nothing more is started. */
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
