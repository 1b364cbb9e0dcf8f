import { timedOut } from '#common/errors.js';
import type { OperationCost } from './cost.js';
import { bounds, exceeded } from './document-limit.js';
import { howToPass } from './object-advice.js';
import { ObjectBudget } from './object-budget.js';

/** Cost in objects from which an operation is heavy. */
const heavyFrom = 1000;

/** The budget of one request: its objects, over all operations of a batch, and its time. */
export class RequestBudget {
  private spent = 0;
  /** Created at its first use, as few requests need it. */
  private stop: AbortController | undefined;
  /** Called with the failure when the request ends early. */
  private readonly ends = new Set<(failure: Error) => void>();
  /** Counts the objects that the request's lists return. */
  readonly objects = new ObjectBudget(
    () => this.failure,
    (failure) => this.end(failure),
  );
  /** The reason why the request ended early. */
  private failure: Error | undefined;

  /**
   * @param milliseconds timeout of the whole request.
   * @param begun start of the request, by `performance.now()`.
   */
  constructor(
    private readonly milliseconds: number,
    private readonly begun = performance.now(),
  ) {}

  /**
   * Deducts the cost of an operation before it runs. Returns the objects deducted so far.
   * @throws GraphQLError when too little is left; then nothing is deducted.
   */
  spend({ objects, fields }: OperationCost): number {
    const spent = this.spent + objects;
    if (spent > bounds.cost) throw exceeded('cost', spent, howToPass(fields, spent, bounds.cost));
    this.spent = spent;
    return spent;
  }

  /** Cost of the operations so far, without refused ones. */
  get cost(): number {
    return this.spent;
  }

  /** Whether the request is so large that its statements may be slow and have to be cancellable. */
  get heavy(): boolean {
    return Math.max(this.spent, this.objects.sum) >= heavyFrom;
  }

  /** Remaining time in milliseconds; negative after the deadline. */
  get left(): number {
    return this.begun + this.milliseconds - performance.now();
  }

  /** Throws when the time is over or the request has ended, so that no further work starts. */
  requireTime(): void {
    if (this.failure !== undefined) throw this.failure;
    if (this.left <= 0) throw timedOut(this.milliseconds);
  }

  /** Aborted when the request has used up its time or its objects. */
  get signal(): AbortSignal {
    this.stop ??= new AbortController();
    if (this.failure !== undefined) this.stop.abort(this.failure);
    return this.stop.signal;
  }

  /**
   * Waits for the work.
   * @throws the failure of the request when its time or its objects run out first.
   */
  async within<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    if (this.failure !== undefined) reject(this.failure);
    this.ends.add(reject);
    const timer = setTimeout(() => this.end(timedOut(this.milliseconds)), Math.max(0, this.left));
    try {
      return await Promise.race([over, work]);
    } finally {
      clearTimeout(timer);
      this.ends.delete(reject);
    }
  }

  private end(failure: Error): Error {
    if (this.failure === undefined) {
      this.failure = failure;
      this.objects.stop(failure);
      for (const end of this.ends) end(failure);
      this.stop?.abort(failure);
    }
    return this.failure;
  }
}
