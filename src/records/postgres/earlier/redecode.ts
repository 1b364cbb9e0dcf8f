import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { EarlierInputs } from '#records/derive/derivation.js';
import type { Past } from '#records/derive/past.js';
import { sentContent } from '#records/new-record.js';
import type { ProductShape } from '#records/scope/product-shape.js';
import type { Rewritten, StoredRow } from '../log/rewrite.js';
import { type DueLine, noteDue } from './due.js';
import { forgetNewest, keyOfLine, lockLines } from './newest.js';
import { findPasts } from './past-search.js';
import { findAloneSpan, positionOf } from './stored-line.js';

/** A product as an organization uses it. */
type ProductOf = { organizationId: string; productId: string };

/**
 * Locks the lines of a page of records, and reads it again. Records that have come meanwhile from other devices were
 * computed as today.
 */
export const lockRows = async <Row extends StoredRow>(
  tx: PoolClient,
  { productId }: ProductOf,
  page: readonly Row[],
  readPage: (more: Sql) => Promise<Row[]>,
): Promise<Row[]> => {
  const last = page.at(-1);
  if (last === undefined) return [];
  const deviceIds = [...new Set(page.map(({ deviceId }) => deviceId))];
  await lockLines(
    tx,
    deviceIds.map((deviceId) => ({ deviceId, productId })),
  );
  return readPage(
    sql` and device_id = any(${deviceIds}::uuid[]) and (record.ts, id) <= (${last.ts}::timestamptz, ${last.id}::uuid)`,
  );
};

/** The values of devices before the records that are computed. */
export interface Pasts {
  earlier: EarlierInputs;
  of(deviceId: string): Past;
}

/** Finds the values of devices before the first of their records, if formulas read them. */
export const findPastsOf = async (
  tx: PoolClient,
  product: ProductOf,
  rows: readonly StoredRow[],
  { derivation }: ProductShape,
): Promise<Pasts | undefined> => {
  const earlier = derivation?.earlier;
  if (earlier === undefined) return undefined;
  const span = await findAloneSpan(tx, product);
  const first = new Map(rows.toReversed().map((row) => [row.deviceId, row]));
  const lineOf = (deviceId: string) => ({ deviceId, productId: product.productId });
  const needs = [...first.values()].map((row) => ({ ...lineOf(row.deviceId), before: positionOf(row), earlier, span }));
  const found = await findPasts(tx, needs);
  return { earlier, of: (deviceId) => found.get(keyOfLine(lineOf(deviceId)))! };
};

/**
 * Forgets the newest values of devices whose measured values have changed, and notes the records that follow behind the
 * range of a job.
 */
export const noteChanged = async (
  tx: PoolClient,
  { organizationId, productId }: ProductOf,
  {
    rows,
    changes,
    earlier,
    isOpen,
  }: { rows: readonly StoredRow[]; changes: readonly Rewritten[]; earlier: EarlierInputs; isOpen: boolean },
): Promise<void> => {
  const changed = new Map(changes.map((change) => [change.id, change]));
  const lines = new Map<string, DueLine>();
  for (const row of rows) {
    const today = changed.get(row.id);
    if (today === undefined) continue;
    const { deviceId, seconds } = row;
    const [before, now] = [sentContent(row).data, today.data].map((data) => new Map(earlier.measured(data)));
    const names = earlier.names.filter((name) => before!.get(name) !== now!.get(name));
    if (names.length === 0) continue;
    const known = lines.get(deviceId)?.names ?? [];
    const all = [...new Set([...known, ...names])];
    lines.set(deviceId, { deviceId, productId, organizationId, from: seconds, to: seconds, names: all });
  }
  await forgetNewest(tx, [...lines.values()]);
  // Without an end of the range, the job comes to all that follow.
  if (!isOpen) await noteDue(tx, [...lines.values()]);
};
