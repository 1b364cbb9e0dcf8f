/** Makes random choices. The same seed gives the same choices. */
export class Dice {
  constructor(private state: number) {}

  /** Returns a number from 0 to less than 1 (mulberry32). */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Returns a whole number from 0 to less than `count`. */
  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  chance(part: number): boolean {
    return this.random() < part;
  }

  pick<T>(...items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Runs one of several generators. */
  one<T>(...makers: readonly (() => T)[]): T {
    return this.pick(...makers)();
  }

  some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }

  /** Adds keys to an object only sometimes. */
  maybe(part: number, extra: () => object): object {
    return this.chance(part) ? extra() : {};
  }

  /** A number or boolean, sometimes as text. */
  loose(value: number | boolean): number | boolean | string {
    return this.chance(0.1) ? `${value}` : value;
  }

  /** A list, or sometimes its only item. */
  list<T>(items: readonly T[]): readonly T[] | T {
    return items.length === 1 && this.chance(0.4) ? items[0]! : items;
  }
}
