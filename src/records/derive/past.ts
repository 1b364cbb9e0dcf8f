import type { FormulaValue } from '#expression/formula.js';

/** Place of a record among those of its device: by time (Unix seconds), and by identifier at the same time. */
export interface Position {
  readonly ts: number;
  readonly id: string;
}

/** A measured value, with the record that has it. */
export interface Measured extends Position {
  readonly value: FormulaValue;
}

/** Compares two records of a device by their order. */
export const comparePositions = (one: Position, other: Position): number =>
  one.ts - other.ts || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** The values of a device up to one of its records: the record, and the newest value of each variable until then. */
export class Past {
  private readonly inputs: Map<string, Measured>;

  constructor(
    public newest?: Position,
    inputs: Iterable<readonly [name: string, measured: Measured]> = [],
  ) {
    this.inputs = new Map(inputs);
  }

  /** Returns the newest value of a variable. */
  value(name: string): FormulaValue | undefined {
    return this.inputs.get(name)?.value;
  }

  /** Returns the seconds from the newest record to a time, to the microsecond. */
  elapsed(ts: number): number | undefined {
    return this.newest && (micros(ts) - micros(this.newest.ts)) / 1e6;
  }

  /** Adds a record, in any order. */
  add({ ts, id }: Position, measured: readonly (readonly [name: string, value: FormulaValue])[]): void {
    if (this.newest === undefined || comparePositions(this.newest, { ts, id }) < 0) this.newest = { ts, id };
    for (const [name, value] of measured) this.note(name, { ts, id, value });
  }

  /** Adds all that another past knows. */
  merge(other: Past): void {
    if (other.newest !== undefined) this.add(other.newest, []);
    for (const [name, measured] of other.entries()) this.note(name, measured);
  }

  entries(): Iterable<readonly [name: string, measured: Measured]> {
    return this.inputs;
  }

  private note(name: string, measured: Measured): void {
    const known = this.inputs.get(name);
    if (known === undefined || comparePositions(known, measured) < 0) this.inputs.set(name, measured);
  }
}

const micros = (ts: number): number => Math.round(ts * 1e6);
