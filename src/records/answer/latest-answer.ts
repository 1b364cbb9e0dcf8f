import type { VariableType } from '#entities/enums.js';
import type { PlainObject } from '../item.js';
import type { LatestValue } from '../record-index.js';
import { fittingValue } from '../typed.js';

/** Number of a device's newest records that are read first. They contain most variables. */
export const newestRecords = 20;

/** Variables as a product declares them. */
export interface DeclaringShape {
  readonly variables: readonly { readonly name: string; readonly type: VariableType; readonly unit?: string | null }[];
}

/** Collects the newest values of one device from its records, in any order. */
export class NewestValues {
  private readonly values = new Map<string, LatestValue>();

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** Adds the values of a record that are newer than the known ones. `ts` is in Unix seconds. */
  take(data: PlainObject, ts: number, shape: DeclaringShape | undefined): void {
    for (const [name, sent] of Object.entries(data)) {
      const variable = shape?.variables.find((candidate) => candidate.name === name);
      const value = variable ? fittingValue(variable.type, sent) : (sent ?? undefined);
      if (value === undefined || (this.values.get(name)?.ts ?? Number.NEGATIVE_INFINITY) >= ts) continue;
      this.values.set(name, { name, ts, value, ...(variable && { type: variable.type, unit: variable.unit ?? null }) });
    }
  }

  /** Returns all values, sorted by name. */
  byName(): LatestValue[] {
    return [...this.values.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
