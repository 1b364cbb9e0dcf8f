import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { uuids } from '#database/binary.js';
import { namedStatement } from '#database/named-statement.js';
import type { FormulaValue } from '#expression/formula.js';
import { Past } from '#records/derive/past.js';

/** A device under one of its products: the line of records whose formulas read each other. */
export interface Line {
  deviceId: string;
  productId: string;
}

/** The newest values of a device. Undefined: they are to be read from its records. */
export type Newest = { past: Past; names: ReadonlySet<string> } | undefined;

interface Row {
  device_id: string;
  product_id: string;
  seconds: number | null;
  record_id: string | null;
  names: string[] | null;
  inputs: [name: string, ts: number, id: string, value: FormulaValue][] | null;
}

export const keyOfLine = ({ deviceId, productId }: Line): string => `${deviceId} ${productId}`;

/**
 * Locks lines until the end of the transaction, and returns what their devices measured last, by {@link keyOfLine}.
 * Rows are made and then locked in one order, so that no two transactions wait for each other.
 */
export const lockLines = async (tx: PoolClient, lines: readonly Line[]): Promise<ReadonlyMap<string, Newest>> => {
  const devices = uuids(lines.map(({ deviceId }) => deviceId));
  const products = uuids(lines.map(({ productId }) => productId));
  const wanted = sql`unnest(${devices}::uuid[], ${products}::uuid[]) w (device_id, product_id)`;
  const made = tx.query(
    namedStatement(
      'make-lines',
      sql`
      insert into record_earlier (device_id, product_id) select device_id, product_id from ${wanted}
      order by device_id, product_id on conflict do nothing`,
    ),
  );
  const locked = tx.query<Row>(
    namedStatement(
      'lock-lines',
      sql`
      select e.device_id, e.product_id, extract(epoch from e.ts)::float8 as seconds, e.record_id, e.names, e.inputs
        from ${wanted} join record_earlier e using (device_id, product_id)
       order by e.device_id, e.product_id for update of e`,
    ),
  );
  const [, { rows }] = await Promise.all([made, locked]);
  return new Map(rows.map((row) => [keyOfLine({ deviceId: row.device_id, productId: row.product_id }), newestOf(row)]));
};

const newestOf = ({ seconds, record_id, names, inputs }: Row): Newest => {
  if (names === null) return undefined;
  const newest = seconds === null || record_id === null ? undefined : { ts: seconds, id: record_id };
  const values = (inputs ?? []).map(([name, ts, id, value]) => [name, { ts, id, value }] as const);
  return { past: new Past(newest, values), names: new Set(names) };
};

/** A line with the newest values of these variables. */
export interface KeptLine extends Line {
  past: Past;
  names: readonly string[];
}

/** Writes what devices measured last. */
export const keepNewest = async (tx: PoolClient, lines: readonly KeptLine[]): Promise<void> => {
  if (lines.length === 0) return;
  const rows = lines.map(({ deviceId, productId, past, names }) => ({
    device_id: deviceId,
    product_id: productId,
    seconds: past.newest?.ts ?? null,
    record_id: past.newest?.id ?? null,
    names,
    inputs: [...past.entries()].map(([name, { ts, id, value }]) => [name, ts, id, value]),
  }));
  await tx.query(
    namedStatement(
      'keep-newest',
      sql`
      update record_earlier e set ts = to_timestamp(w.seconds), record_id = w.record_id, names = w.names, inputs = w.inputs
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as w (device_id uuid, product_id uuid, seconds float8, record_id uuid, names text[], inputs jsonb)
       where e.device_id = w.device_id and e.product_id = w.product_id`,
    ),
  );
};

/** Forgets what devices measured last, because their records have changed. */
export const forgetNewest = async (tx: PoolClient, lines: readonly Line[]): Promise<void> => {
  await tx.query(sql`
    update record_earlier e set names = null, inputs = null, ts = null, record_id = null
      from unnest(${lines.map(({ deviceId }) => deviceId)}::uuid[], ${lines.map(({ productId }) => productId)}::uuid[]) w (device_id, product_id)
     where e.device_id = w.device_id and e.product_id = w.product_id`);
};
