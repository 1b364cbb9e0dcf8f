import type { PutAnswer, PutError, PutItem } from '../entities/put-answer.js';
import { type ApiError, conflict, invalid } from '../errors.js';
import { itemFaults } from '../schema/arguments.js';

/** The outcome for one item: the thing's identifier, or the error for which it was not put. */
export type Outcome = { status: 'created' | 'updated' | 'unchanged'; id: string | null } | { error: ApiError };

/** An item of a call with its place in it. */
export interface Placed<Item> {
  readonly index: number;
  readonly item: Item;
}

/** The outcomes of a call's items. An item that has an outcome is not put. */
export class Outcomes<Item extends object> {
  private readonly outcomes: (Outcome | undefined)[];

  constructor(private readonly items: readonly Item[]) {
    this.outcomes = items.map(() => undefined);
  }

  /** The items without an outcome, in order. */
  get open(): Placed<Item>[] {
    return this.items.flatMap((item, index) => (this.outcomes[index] === undefined ? { index, item } : []));
  }

  settle(index: number, outcome: Outcome): void {
    this.outcomes[index] = outcome;
  }

  fail(index: number, error: ApiError): void {
    this.outcomes[index] = { error };
  }

  /** Fails the items that break a rule of their input type. */
  requireValid(): void {
    for (const { index, item } of this.open) {
      const faults = itemFaults(item);
      if (faults.length > 0) this.fail(index, invalid(faults));
    }
  }

  /** Fails each item with a key that an earlier one has. */
  requireUnique(path: string, keyOf: (item: Item) => string | null | undefined): void {
    const first = new Map<string, number>();
    for (const { index, item } of this.open) {
      const key = keyOf(item);
      if (key == null) continue;
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, index);
      else
        this.fail(
          index,
          conflict(`Item ${earlier} has the same ${path}.`, [{ path, message: `repeats item ${earlier}` }]),
        );
    }
  }

  answer(): PutAnswer {
    const results = this.outcomes.map((outcome, index) => itemOf(index, outcome!));
    const count = (wanted: PutItem['status']) => results.filter(({ status }) => status === wanted).length;
    return {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      failed: count('failed'),
      results,
    };
  }
}

const itemOf = (index: number, outcome: Outcome): PutItem =>
  'error' in outcome ? { index, status: 'failed', error: errorOf(outcome.error) } : { index, ...outcome };

const errorOf = ({ code, message, errors = [] }: ApiError): PutError => ({ code, message, errors: [...errors] });
