import type { Pool } from 'pg';
import { Rejection } from '#records/item.js';
import type { NewRecord } from '#records/new-record.js';
import type { AppendCall, AppendResult, IdempotencyKey, ListedItem } from '#records/record-log.js';
import type { StoredRecord } from '#records/stored-record.js';
import type { Weighted } from './group.js';
import { type IngestCache, type Prepared, prepare } from './prepare.js';

/** A call to store, with its weight in a group. */
export type Work = AppendCall & Weighted;

/** A group of calls, ready for its transaction. */
export interface PreparedGroup {
  works: readonly Work[];
  /** Items of each call, prepared. */
  prepared: readonly Prepared[][];
  /** Rejection of each call that is refused as a whole. */
  refused: readonly ({ error: Rejection } | undefined)[];
  pool: Pool;
  now: Date;
}

/** Prepares the items of a group's calls, before any transaction is open. */
export const prepareGroup = async (
  works: readonly Work[],
  pool: Pool,
  cache: IngestCache,
  now: Date,
): Promise<PreparedGroup> => {
  const prepared = await prepare(pool, cache, works, now.getTime() / 1000);
  const refused = works.map((work, index) => rejectionOf(work, prepared[index]!));
  return { works, prepared, refused, pool, now };
};

/** Returns the first rejection of a call that is refused as a whole. */
const rejectionOf = ({ refusedIf }: Work, items: readonly Prepared[]): { error: Rejection } | undefined => {
  const error = refusedIf && items.find((item) => item instanceof Rejection);
  if (error === undefined) return undefined;
  return refusedIf === 'any' || items.every((item) => item instanceof Rejection) ? { error } : undefined;
};

/** Returns the idempotency keys of the calls that are not refused. */
export const idempotencyKeysOf = ({ works, refused }: PreparedGroup): IdempotencyKey[] =>
  works.flatMap(({ idempotencyKey }, index) => (idempotencyKey && !refused[index] ? [idempotencyKey] : []));

/**
 * Returns the records of a group's calls.
 * @param answered outcomes of the calls that store nothing
 */
export const recordsOf = ({ prepared }: PreparedGroup, answered: readonly unknown[]): NewRecord[] =>
  prepared.flatMap((items, index) =>
    answered[index] ? [] : items.flatMap((item) => (item instanceof Rejection ? [] : item)),
  );

/**
 * Returns stored records as hooks and alerts get them: with the trace context of their call, and without those of calls
 * that call no hooks.
 */
export const publishedOf = (group: PreparedGroup, stored: readonly NewRecord[]): StoredRecord[] => {
  const traces = tracesOf(group);
  const imported = itemsOf(group, ({ isImport }) => isImport === true);
  return forHooks(group, stored).map((record) => storedOf(record, traces?.get(record.id), imported.has(record)));
};

const forHooks = (group: PreparedGroup, stored: readonly NewRecord[]): readonly NewRecord[] => {
  const omitted = itemsOf(group, ({ withoutHooks }) => withoutHooks === true);
  return omitted.size === 0 ? stored : stored.filter((record) => !omitted.has(record));
};

const none: ReadonlySet<Prepared> = new Set();

/** Returns the items of the calls that meet a condition. */
const itemsOf = ({ works, prepared }: PreparedGroup, meets: (work: Work) => boolean): ReadonlySet<Prepared> =>
  works.some(meets) ? new Set(works.flatMap((work, index) => (meets(work) ? prepared[index]! : []))) : none;

/** Returns the trace context of each record whose call has one; undefined if no call has one. */
const tracesOf = ({ works, prepared }: PreparedGroup): ReadonlyMap<string, string> | undefined => {
  if (works.every(({ traceparent }) => traceparent === undefined)) return undefined;
  const traces = new Map<string, string>();
  for (const [index, { traceparent }] of works.entries()) {
    if (traceparent === undefined) continue;
    for (const item of prepared[index]!) if (!(item instanceof Rejection)) traces.set(item.id, traceparent);
  }
  return traces;
};

const storedOf = (
  { id, ts, metadata, data, device }: NewRecord,
  traceparent: string | undefined,
  isImported: boolean,
): StoredRecord => ({
  id,
  ts,
  metadata,
  data,
  device,
  ...(traceparent !== undefined && { traceparent }),
  ...(isImported && { isImported }),
});

/**
 * Returns the result of a call.
 * @param repeated the stored record that each duplicate repeats, by its identifier
 */
export const resultOf = (
  { verbose = false }: Work,
  items: readonly Prepared[],
  repeated: ReadonlyMap<string, string>,
): AppendResult => {
  const results: ListedItem[] = [];
  let [accepted, duplicates, rejected] = [0, 0, 0];
  for (const [index, item] of items.entries()) {
    if (item instanceof Rejection) {
      rejected++;
      results.push({ index, status: 'rejected', error: { code: item.code, message: item.message } });
      continue;
    }
    const recordId = repeated.get(item.id);
    if (recordId === undefined) accepted++;
    else duplicates++;
    if (verbose) results.push(listed(index, item.id, recordId));
    else if (recordId !== undefined) results.push({ index, status: 'duplicate' });
  }
  return { accepted, duplicates, rejected, results, isRepeated: false };
};

const listed = (index: number, id: string, repeated: string | undefined): ListedItem =>
  repeated === undefined
    ? { index, status: 'stored', recordId: id }
    : { index, status: 'duplicate', recordId: repeated };
