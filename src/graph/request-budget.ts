import { timedOut } from '../errors.js';
import type { Cost } from './cost.js';
import { bounds, exceeded } from './document-limit.js';
import { howToPass } from './object-advice.js';
import { ObjectBudget } from './object-budget.js';

/** From this cost on, in objects, an operation is heavy. */
const heavyFrom = 1000;

/** The budget of one request: objects, over all operations of a batch, and time. */
export class RequestBudget {
  private spent = 0;
  private readonly stop = new AbortController();
  /** The objects that its lists have. */
  readonly objects = new ObjectBudget(this.stop.signal, (failure) => this.end(failure));
  /** Why the request ended before its work. */
  private failure: Error | undefined;

  /** @param milliseconds how long the whole request may take. */
  constructor(
    private readonly milliseconds: number,
    private readonly begun = performance.now(),
  ) {}

  /** Takes the cost of an operation, before it runs, from the budget. Throws where too little is left, and then takes nothing. */
  spend({ objects, fields }: Cost): void {
    const spent = this.spent + objects;
    if (spent > bounds.cost) throw exceeded('cost', spent, howToPass(fields, spent, bounds.cost));
    this.spent = spent;
  }

  /** Whether the request is so large that its statements may be slow and have to be cancellable. */
  get heavy(): boolean {
    return Math.max(this.spent, this.objects.sum) >= heavyFrom;
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
    this.stop.abort(this.failure);
    return this.failure;
  }
}
