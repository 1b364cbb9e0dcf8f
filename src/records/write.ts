import type { PoolClient } from 'pg';
import { copyRecords } from './copy.js';
import { markDirty, type Touched } from './dirty.js';
import { fewRecords, storeFew } from './few.js';
import { claimKeys, findHolders, keyHours, sortByKey } from './key.js';
import type { NewRecord } from './new-record.js';

/** What a transaction has written. */
export interface Written {
  fresh: NewRecord[];
  /** By record id, the stored record that each of the others repeats. */
  repeated: ReadonlyMap<string, string>;
}

/** Writes the records whose keys are free, and what follows from them. */
export const writeRecords = async (tx: PoolClient, records: readonly NewRecord[], now: Date): Promise<Written> => {
  const { first, repeated } = sortByKey(records);
  if (first.length === 0) return { fresh: [], repeated };
  const few = first.length <= fewRecords;
  const taken = few ? await storeFew(tx, first, { now, keyHours }) : await claimKeys(tx, first, now);
  const fresh = taken.size === 0 ? first : first.filter(({ id }) => !taken.has(id));
  if (!few && fresh.length > 0) {
    await copyRecords(tx, fresh);
    await markDirty(tx, fresh.map(touchedOf));
  }
  if (taken.size > 0) {
    const duplicates = first.filter(({ id }) => taken.has(id));
    for (const [id, holder] of await findHolders(tx, duplicates)) repeated.set(id, holder);
    // A repetition within the transaction follows its first to the record that both repeat.
    for (const [id, holder] of repeated) repeated.set(id, repeated.get(holder) ?? holder);
  }
  return { fresh, repeated };
};

const touchedOf = ({ device, ts }: NewRecord): Touched => ({
  organizationId: device.organizationId,
  productId: device.product?.id ?? null,
  ts,
});
