import { timedOut } from '../errors.js';
import { bounds, exceeded } from './document-limit.js';

/** From this cost on, in objects, an operation is heavy. */
const heavyFrom = 1000;

/** The budget of one request: objects, over all operations of a batch, and time. */
export class RequestBudget {
  private spent = 0;
  private readonly stop = new AbortController();
  /** Why the request ended before its work. */
  private failure: Error | undefined;

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

  /**
   * Takes objects off that turned out while an operation ran: lists that nothing bounds by a size. Where they are too many
   * the whole request ends. Throws then, and from then on.
   */
  spendFound(objects: number): void {
    if (this.failure !== undefined) throw this.failure;
    this.spent += objects;
    if (this.spent > bounds.cost) throw this.end(exceeded('cost', Math.ceil(this.spent)));
  }

  /** Whether the request is so large that its statements may be slow and have to be cancellable. */
  get heavy(): boolean {
    return this.spent >= heavyFrom;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.begun + this.milliseconds - performance.now();
  }

  /** Throws when the time is over or the request has ended, so that nothing more is started. */
  requireTime(): void {
    if (this.failure !== undefined) throw this.failure;
    if (this.left <= 0) throw timedOut(this.milliseconds);
  }

  /** Aborted when the time is over, or what may be returned is. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** The result of the work, or a refusal when the time, or what may be returned, is over first. */
  async within<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const refuse = () => reject(this.failure);
    if (this.failure !== undefined) refuse();
    this.signal.addEventListener('abort', refuse, { once: true });
    const timer = setTimeout(() => this.end(timedOut(this.milliseconds)), Math.max(0, this.left));
    try {
      return await Promise.race([over, work]);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', refuse);
    }
  }

  private end(failure: Error): Error {
    this.failure ??= failure;
    this.stop.abort();
    return this.failure;
  }
}
