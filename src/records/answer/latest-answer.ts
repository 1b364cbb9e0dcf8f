import type { VariableType } from '#entities/enums.js';
import { timeOf } from '#entities/id.js';
import { orderTime, secondsAhead } from '#scheduling/order-time.js';
import type { PlainObject } from '../item.js';
import type { LatestValue } from '../record-index.js';
import { fittingValue } from '../typed-data.js';

/** Number of a device's newest records that are read first. They contain most variables. */
export const newestRecords = 20;

/** Variables as a product declares them. */
export interface DeclaringShape {
  readonly variables: readonly { readonly name: string; readonly type: VariableType; readonly unit?: string | null }[];
}

/** A record's identifier, which contains the time of arrival, and its timestamp in Unix seconds. */
export interface Dated {
  readonly id: string;
  readonly ts: number;
}

/** Collects the newest values of one device from its records, in any order. */
export class NewestValues {
  private readonly values = new Map<string, LatestValue>();

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** Returns the names whose values are certain: a record ahead of its arrival may hide values that came after it. */
  certainNames(): string[] {
    return [...this.values.values()].flatMap(({ name, ahead }) => (ahead === null ? name : []));
  }

  /** Adds the values of a record that are newer than the known ones. */
  take(data: PlainObject, { id, ts }: Dated, shape: DeclaringShape | undefined): void {
    const arrivedAt = timeOf(id);
    const [at, ahead] = [orderTime(ts, arrivedAt), secondsAhead(ts, arrivedAt)];
    for (const [name, sent] of Object.entries(data)) {
      const variable = shape?.variables.find((candidate) => candidate.name === name);
      const value = variable ? fittingValue(variable.type, sent) : (sent ?? undefined);
      if (value === undefined || !isNewer({ at, ts }, this.values.get(name))) continue;
      this.values.set(name, {
        name,
        ts,
        at,
        ahead,
        value,
        ...(variable && { type: variable.type, unit: variable.unit ?? null }),
      });
    }
  }

  /** Returns all values, sorted by name. */
  byName(): LatestValue[] {
    return [...this.values.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

const isNewer = (one: Pick<LatestValue, 'at' | 'ts'>, other: Pick<LatestValue, 'at' | 'ts'> | undefined): boolean =>
  other === undefined || one.at > other.at || (one.at === other.at && one.ts > other.ts);
