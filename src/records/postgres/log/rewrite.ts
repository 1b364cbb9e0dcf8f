import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { RecordContent } from '#records/derive/derive.js';
import type { PlainObject } from '#records/item.js';
import type { GivenFields, StoredFrame } from '#records/new-record.js';
import type { Slot } from '#records/scope/slot.js';
import { type TypedData, typeData } from '#records/typed-data.js';
import { markDirty } from './dirty.js';

/** A stored record with its values. */
export interface StoredRow {
  id: string;
  deviceId: string;
  /** Time as PostgreSQL writes it, and in Unix seconds. */
  ts: string;
  seconds: number;
  metadata: PlainObject;
  data: PlainObject;
  frame: StoredFrame | null;
  given: GivenFields | null;
  numbers: (number | null)[] | null;
  texts: (string | null)[] | null;
  many: TypedData['many'] | null;
  ignored: string[] | null;
}

/** The columns of a {@link StoredRow}. */
export const storedColumns = sql`id, device_id as "deviceId", ts::text, extract(epoch from ts)::float8 as seconds, metadata, data, frame, given,
  numbers, texts, many, ignored`;

/** The new values of a stored record. */
export interface Rewritten extends RecordContent, TypedData {
  id: string;
  ts: string;
  seconds: number;
  given: GivenFields | undefined;
}

/** Returns the new values of a record, or undefined if nothing changes. */
export const rewrittenOf = (
  row: StoredRow,
  today: RecordContent & { given: GivenFields | undefined },
  slots: readonly Slot[],
): Rewritten | undefined => {
  const { id, ts, seconds, metadata, data, given } = row;
  const typed = typeData(today.data, slots);
  const same =
    isDeepStrictEqual(today, { metadata, data, given: given ?? undefined }) &&
    isDeepStrictEqual(typed.numbers ?? null, row.numbers) &&
    isDeepStrictEqual(typed.texts ?? null, row.texts) &&
    isDeepStrictEqual(typed.many ?? null, row.many) &&
    isDeepStrictEqual(typed.ignored ?? null, row.ignored);
  return same ? undefined : { id, ts, seconds, ...today, ...typed };
};

/** Writes the new values of records of a product, and marks their hours. */
export const rewriteRecords = async (
  tx: PoolClient,
  owner: { organizationId: string; productId: string },
  changes: readonly Rewritten[],
): Promise<void> => {
  if (changes.length === 0) return;
  await tx.query(sql`
    update record r set metadata = w.metadata, data = w.data, given = w.given, numbers = w.numbers, texts = w.texts, many = w.many, ignored = w.ignored
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as w (id uuid, ts timestamptz, metadata jsonb, data jsonb, given jsonb, numbers float8[], texts text[], many jsonb, ignored text[])
    where r.id = w.id and r.ts = w.ts`);
  await markDirty(
    tx,
    changes.map(({ seconds }) => ({ ...owner, ts: seconds })),
  );
};
