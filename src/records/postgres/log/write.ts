import type { PoolClient } from 'pg';
import type { NewRecord } from '#records/new-record.js';
import { CopyRows, copyIn } from './copy.js';
import { markDirty, type Touched } from './dirty.js';
import { claimFreeKeys, claimKeys, findHolders, sortByKey } from './record-key.js';
import { noteUsage } from './usage.js';

export interface WriteOptions<Following> {
  now: Date;
  /**
   * Whether to check first which keys are taken. Otherwise all count as free, which lets everything go out in one
   * packet. If one is taken, the transaction fails with an error that `isTaken` recognizes.
   */
  checksKeysFirst: boolean;
  /** Writes what follows from the stored records, in the same transaction. */
  follow(fresh: readonly NewRecord[]): Promise<Following>;
  note: NoteStored;
  /** Computes the records that read earlier ones. */
  complete: CompleteRecords;
}

/** Computes those new records whose formulas read earlier ones, in the transaction that stores them. */
export type CompleteRecords = (tx: PoolClient, fresh: readonly NewRecord[]) => Promise<void>;

/** Notes records for the index in the transaction that stores them. `bytes` is their size as sent. */
export type NoteStored = (tx: PoolClient, records: readonly NewRecord[], bytes: number) => Promise<void>;

/** Marks the hours of the records, whose rollups PostgreSQL's index then makes again. */
export const noteDirty: NoteStored = (tx, records) => markDirty(tx, records.map(touchedOf));

export interface WrittenRecords<Following> {
  /** The stored record that each duplicate repeats, by the identifier of the duplicate. */
  repeated: ReadonlyMap<string, string>;
  /** Result of `follow`; undefined if no record was stored. */
  following: Following | undefined;
}

/** Writes the records whose keys are free, and everything that follows from them. */
export const writeRecords = async <Following>(
  tx: PoolClient,
  records: readonly NewRecord[],
  { now, checksKeysFirst, follow, note, complete }: WriteOptions<Following>,
): Promise<WrittenRecords<Following>> => {
  const { first, repeated } = sortByKey(records);
  const taken = checksKeysFirst ? await claimKeys(tx, first, now) : new Set<string>();
  const fresh = taken.size === 0 ? first : first.filter(({ id }) => !taken.has(id));
  let following: Following | undefined;
  if (fresh.length > 0) {
    const isPending = fresh.some(({ pending }) => pending !== undefined);
    if (isPending) {
      // Keys come before the locks of lines in every transaction, so that no two wait for each other.
      if (!checksKeysFirst) await claimFreeKeys(tx, fresh, now);
      await complete(tx, fresh);
    }
    const { rows, sizes } = rowsOf(fresh);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    await allSettled([
      ...(checksKeysFirst || isPending ? [] : [claimFreeKeys(tx, fresh, now)]),
      copyIn(tx, target, rows),
      note(tx, fresh, bytes),
      noteUsage(tx, fresh, sizes, now),
      follow(fresh).then((result) => {
        following = result;
      }),
    ]);
  }
  if (taken.size > 0) {
    const duplicates = first.filter(({ id }) => taken.has(id));
    for (const [id, holder] of await findHolders(tx, duplicates)) repeated.set(id, holder);
    // If a record repeats another of the transaction that itself repeats a stored one, both repeat the stored one.
    for (const [id, holder] of repeated) repeated.set(id, repeated.get(holder) ?? holder);
  }
  return { repeated, following };
};

/**
 * Waits for all promises and then throws the first error, so that no statement is sent to the transaction after its
 * rollback.
 */
const allSettled = async (works: readonly Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

const target =
  'record (id, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored)';

/** Returns the rows of records, and the number of bytes of each. */
const rowsOf = (records: readonly NewRecord[]): { rows: Buffer[]; sizes: number[] } => {
  const rows = new CopyRows(13);
  const sizes: number[] = [];
  // Records of a product with formulas share one object.
  let shared: { given: NewRecord['given']; text: string | undefined } = { given: undefined, text: undefined };
  for (const { id, device, ts, metadata, data, frame, given, typed } of records) {
    const before = rows.size;
    if (given !== shared.given) shared = { given, text: textOf(given) };
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
      .jsonb(shared.text)
      .numbers(typed.numbers)
      .texts(typed.texts)
      .jsonb(textOf(typed.many))
      .texts(typed.ignored);
    sizes.push(rows.size - before);
  }
  return { rows: rows.finish(), sizes };
};

/** Returns the JSON text of a value, or undefined without one. */
const textOf = (value: object | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

const touchedOf = ({ device, ts }: NewRecord): Touched => ({
  organizationId: device.organizationId,
  productId: device.product?.id ?? null,
  ts,
});
