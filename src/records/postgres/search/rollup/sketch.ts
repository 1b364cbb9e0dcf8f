import { exactValues } from '#records/postgres/summary.js';
import { type Awaitable, chain, type Pace } from '#search/pace.js';

/*
 * Estimates the number of distinct values with Flajolet's HyperLogLog: the more distinct values there are, the longer
 * the longest run of leading zeros among their hashes. The registers are evaluated as by Ertl, "New cardinality
 * estimation algorithms for HyperLogLog sketches", 2017, algorithm 6, which needs no table of corrections. The standard
 * error is 0.8 %: 1.04 / sqrt(2^14).
 */

/** Number of a hash's bits that select the register, and number of those whose leading zeros are counted. */
const registerBits = 14;
const rankBits = 32 - registerBits;
const registerCount = 2 ** registerBits;

/** Size of the hash table used while all hashes are kept: more than twice the maximum number of hashes. */
const tableSize = 8192;

/** Number of hashes between two yields. */
const perStep = 20_000;

/** Counts the distinct values of concatenated sketches (see `record_digest_total.sketch`). */
export const countSketched = (bytes: Buffer, pace: Pace): Awaitable<number> => {
  const sketch = new Sketch();
  return chain(
    pace.map(sketch.add(bytes), () => undefined),
    () => sketch.count(),
  );
};

class Sketch {
  private readonly registers = new Uint8Array(registerCount);
  /**
   * All hashes, in a hash table with linear probing by the last bits. 0 marks a free place, so the hash 0 is kept in
   * `zero`.
   */
  private readonly table = new Int32Array(tableSize);
  private hashes = 0;
  private zero = false;
  /** Whether the table holds every hash. */
  private exact = true;

  *add(bytes: Buffer): Generator<undefined> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let step = 0;
    for (let at = 0; at < bytes.length; ) {
      const count = view.getInt32(at);
      if (count < 0) this.exact = false;
      const end = at + 4 + 4 * Math.abs(count);
      for (at += 4; at < end; at += 4) {
        this.addHash(view.getInt32(at));
        if (++step % perStep === 0) yield undefined;
      }
    }
  }

  count(): number {
    return this.exact ? this.hashes : Math.round(this.estimate());
  }

  private addHash(hash: number): void {
    // The bit set after the last counted bit limits the number of zeros.
    const rank = Math.clz32((hash << registerBits) | (1 << (registerBits - 1))) + 1;
    const register = hash >>> rankBits;
    if (rank > this.registers[register]!) this.registers[register] = rank;
    if (this.exact) this.keep(hash);
  }

  private keep(hash: number): void {
    if (hash === 0) {
      if (this.zero) return;
      this.zero = true;
    } else {
      let place = hash & (tableSize - 1);
      while (this.table[place] !== 0 && this.table[place] !== hash) place = (place + 1) & (tableSize - 1);
      if (this.table[place] === hash) return;
      this.table[place] = hash;
    }
    this.hashes += 1;
    this.exact = this.hashes <= exactValues;
  }

  private estimate(): number {
    const ofRank = new Float64Array(rankBits + 2);
    for (const rank of this.registers) ofRank[rank]! += 1;
    let sum = registerCount * tau(1 - ofRank[rankBits + 1]! / registerCount);
    for (let rank = rankBits; rank > 0; rank--) sum = (sum + ofRank[rank]!) / 2;
    sum += registerCount * sigma(ofRank[0]! / registerCount);
    return registerCount ** 2 / (2 * Math.LN2 * sum);
  }
}

/** Contribution of the registers without any hash, given their share. */
const sigma = (share: number): number => {
  if (share === 1) return Infinity;
  let [sum, last] = [share, -1];
  for (let [power, factor] = [share, 1]; sum !== last; factor *= 2) {
    power *= power;
    last = sum;
    sum += power * factor;
  }
  return sum;
};

/** Contribution of the registers whose counted bits were all zero, given the share of the other registers. */
const tau = (share: number): number => {
  if (share === 0 || share === 1) return 0;
  let [sum, last] = [1 - share, -1];
  for (let [root, factor] = [share, 1]; sum !== last; ) {
    root = Math.sqrt(root);
    last = sum;
    factor /= 2;
    sum -= (1 - root) ** 2 * factor;
  }
  return sum / 3;
};
