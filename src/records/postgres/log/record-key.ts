import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { NewRecord } from '#records/new-record.js';

/** Hours for which a key counts. */
const keyHours = 48;

/** Records, divided by whether an earlier record of the same transaction has the same key. */
export interface Sorted {
  first: NewRecord[];
  /** The earlier record of this transaction that each other record repeats, by the identifier of the repetition. */
  repeated: Map<string, string>;
}

/** Finds the records that repeat another of the same transaction. */
export const sortByKey = (records: readonly NewRecord[]): Sorted => {
  const holders = new Map<string, NewRecord>();
  const sorted: Sorted = { first: [], repeated: new Map() };
  for (const record of records) {
    const name = record.key === undefined ? undefined : deviceKey(record.device.id, record.key);
    const holder = name === undefined ? undefined : holders.get(name);
    if (holder) sorted.repeated.set(record.id, holder.id);
    else sorted.first.push(record);
    if (name !== undefined && !holder) holders.set(name, record);
  }
  return sorted;
};

type Keyed = NewRecord & { key: string };

/** Returns the records with keys in one global order: transactions that claim the same keys must not deadlock. */
const keyedOf = (records: readonly NewRecord[]): Keyed[] =>
  records
    .filter((record): record is Keyed => record.key !== undefined)
    .sort((a, b) => compare(a.device.id, b.device.id) || compare(a.key, b.key));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A key was taken, so the transaction must be rolled back. */
class KeyTaken extends Error {}

/**
 * Inserts the keys of records, which must differ, on the assumption that all are free. If one is taken, it throws an
 * error that {@link isTaken} recognizes. PostgreSQL itself sees and logs no error.
 */
export const claimFreeKeys = async (tx: PoolClient, records: readonly NewRecord[], now: Date): Promise<void> => {
  const keyed = keyedOf(records);
  if (keyed.length === 0) return;
  const { rowCount } = await tx.query(
    namedStatement('claim-free-keys', sql`${insertKeys(keyed, now)} on conflict (device_id, key) do nothing`),
  );
  if (rowCount !== keyed.length) throw new KeyTaken();
};

const insertKeys = (keyed: readonly Keyed[], now: Date) => sql`
    insert into record_key (device_id, key, record_id, stored_at)
    -- A longer-lived key is stored with a later time, because all keys expire after the same time.
    select device_id, key, record_id, ${now}::timestamptz + make_interval(hours => later)
      from unnest(${keyed.map(({ device }) => device.id)}::uuid[], ${keyed.map(({ key }) => key)}::text[],
        ${keyed.map(({ id }) => id)}::uuid[], ${keyed.map((record) => (record.keyHours ?? keyHours) - keyHours)}::int[])
        w (device_id, key, record_id, later)`;

/** Whether an error means that a key was taken. */
export const isTaken = (error: unknown): boolean => error instanceof KeyTaken;

/**
 * Claims the keys of records, which must differ. Returns the identifiers of records whose key is taken. It waits for
 * keys that another transaction is claiming.
 */
export const claimKeys = async (tx: PoolClient, records: readonly NewRecord[], now: Date): Promise<Set<string>> => {
  const claims = keyedOf(records);
  if (claims.length === 0) return new Set();
  const { rowCount } = await tx.query(
    namedStatement(
      'claim-keys',
      sql`${insertKeys(claims, now)}
    on conflict (device_id, key) do update set record_id = excluded.record_id, stored_at = excluded.stored_at
      where record_key.stored_at <= ${now}::timestamptz - make_interval(hours => ${keyHours})`,
    ),
  );
  if (rowCount === claims.length) return new Set();
  const holders = await findHolders(tx, claims);
  return new Set(claims.filter(({ id }) => holders.get(id) !== id).map(({ id }) => id));
};

/** Returns the holder of each record's key, by record identifier. */
export const findHolders = async (tx: PoolClient, records: readonly NewRecord[]): Promise<Map<string, string>> => {
  const { rows } = await tx.query<{ device_id: string; key: string; record_id: string }>(sql`
    select device_id, key, record_id from record_key
    join unnest(${records.map(({ device }) => device.id)}::uuid[], ${records.map(({ key }) => key)}::text[])
      w (device_id, key) using (device_id, key)`);
  const holders = new Map(rows.map((row) => [deviceKey(row.device_id, row.key), row.record_id]));
  return new Map(
    records.flatMap(({ id, device, key = '' }) => {
      const holder = holders.get(deviceKey(device.id, key));
      return holder === undefined ? [] : [[id, holder] as const];
    }),
  );
};

const deviceKey = (deviceId: string, key: string): string => `${deviceId}/${key}`;
