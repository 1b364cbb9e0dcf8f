import type { PoolClient } from 'pg';
import type { PlainJson } from '../../../json.js';
import type { NewRecord } from '../../new-record.js';
import { copyIn } from './copy.js';
import { CopyRows } from './copy-rows.js';
import { markDirty, type Touched } from './dirty.js';
import { claimKeys, findHolders, sortByKey, takeKeys } from './key.js';
import { noteUsage } from './usage.js';

/** How records are written. */
export interface WriteOptions {
  now: Date;
  /**
   * Whether to look first which keys are taken. Else all are taken to be free, which lets everything go out in one packet;
   * where one is not, the transaction fails with an error that `isTaken` knows.
   */
  careful: boolean;
  /** Called with what is stored, in the same transaction. */
  alongside(tx: PoolClient, fresh: readonly NewRecord[]): Promise<void>;
  note: NoteStored;
}

/** Notes in the transaction that stores records what the index is to make of them. `bytes`: as they were sent. */
export type NoteStored = (tx: PoolClient, records: readonly NewRecord[], bytes: number) => Promise<void>;

/** The index in PostgreSQL makes the rollups of their hours anew. */
export const noteDirty: NoteStored = (tx, records) => markDirty(tx, records.map(touchedOf));

/**
 * Writes the records whose keys are free, and what follows from them; answers by record id the stored record that each of the
 * others repeats.
 */
export const writeRecords = async (
  tx: PoolClient,
  records: readonly NewRecord[],
  { now, careful, alongside, note }: WriteOptions,
): Promise<ReadonlyMap<string, string>> => {
  const { first, repeated } = sortByKey(records);
  const taken = careful ? await claimKeys(tx, first, now) : new Set<string>();
  const fresh = taken.size === 0 ? first : first.filter(({ id }) => !taken.has(id));
  if (fresh.length > 0) {
    const { rows, sizes } = rowsOf(fresh);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    await allSettled([
      ...(careful ? [] : [takeKeys(tx, fresh, now)]),
      copyIn(tx, target, rows),
      note(tx, fresh, bytes),
      noteUsage(tx, fresh, sizes, now),
      alongside(tx, fresh),
    ]);
  }
  if (taken.size > 0) {
    const duplicates = first.filter(({ id }) => taken.has(id));
    for (const [id, holder] of await findHolders(tx, duplicates)) repeated.set(id, holder);
    // A repetition within the transaction follows its first to the record that both repeat.
    for (const [id, holder] of repeated) repeated.set(id, repeated.get(holder) ?? holder);
  }
  return repeated;
};

/** Waits for all, so that nothing is asked of the transaction any more when it is given up; throws the first error. */
const allSettled = async (works: readonly Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

const target =
  'record (id, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored)';

/** The rows of records, and how many bytes each has. */
const rowsOf = (records: readonly NewRecord[]): { rows: Buffer[]; sizes: number[] } => {
  const rows = new CopyRows(13);
  const sizes: number[] = [];
  for (const { id, device, ts, metadata, data, frame, given, typed } of records) {
    const before = rows.size;
    rows
      .row()
      .uuid(id)
      .uuid(device.organizationId)
      .uuid(device.id)
      .uuid(device.product?.id)
      .time(ts)
      .jsonb(textOf(metadata))
      .jsonb(textOf(data))
      .jsonb(textOf(frame))
      .jsonb(textOf(given))
      .numbers(typed.numbers)
      .texts(typed.texts)
      .jsonb(textOf(typed.many))
      .texts(typed.ignored);
    sizes.push(rows.size - before);
  }
  return { rows: rows.finish(), sizes };
};

/** The JSON text of a value, if there is one. */
const textOf = (value: PlainJson | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

const touchedOf = ({ device, ts }: NewRecord): Touched => ({
  organizationId: device.organizationId,
  productId: device.product?.id ?? null,
  ts,
});
