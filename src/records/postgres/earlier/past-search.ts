import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { uuids } from '#database/binary.js';
import type { EarlierInputs } from '#records/derive/derivation.js';
import { Past, type Position } from '#records/derive/past.js';
import { sentContent } from '#records/new-record.js';
import { type StoredRow, storedColumns } from '../log/rewrite.js';
import { keyOfLine, type Line } from './newest.js';
import { type AloneSpan, type LineReader, lastId, positionOf, readLine } from './stored-line.js';

/** A place in a line before which its past is wanted; absent: that of its newest record. */
export interface PastNeed extends Line {
  before?: Position | undefined;
  earlier: EarlierInputs;
  span: AloneSpan;
}

/** Number of records of each line that the first statement reads. Most variables are in one of them. */
const fewRecords = 4;

/** Finds what devices measured before their records, in stored records, by {@link keyOfLine}. */
export const findPasts = async (tx: PoolClient, needs: readonly PastNeed[]): Promise<Map<string, Past>> => {
  const found = new Map<string, Past>();
  if (needs.length === 0) return found;
  const { rows } = await tx.query<StoredRow & { place: number }>(sql`
    select w.place::int, r.* from unnest(${uuids(needs.map(({ deviceId }) => deviceId))}::uuid[],
        ${uuids(needs.map(({ productId }) => productId))}::uuid[],
        ${needs.map(({ before }) => before?.ts ?? Infinity)}::float8[], ${uuids(needs.map(({ before }) => before?.id ?? lastId))}::uuid[])
      with ordinality w (device_id, product_id, seconds, id, place)
     cross join lateral (
       select ${storedColumns} from record
        where device_id = w.device_id and product_id = w.product_id and record.ts <= to_timestamp(w.seconds)
          and (record.ts, record.id) < (to_timestamp(w.seconds), w.id)
        order by record.ts desc, record.id desc limit ${fewRecords}) r`);
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  for (const [index, need] of needs.entries()) {
    const some = byPlace.get(index + 1) ?? [];
    const past = new Past();
    const { span, before } = need;
    const isReached = span !== undefined && (before === undefined || before.ts >= span.from);
    // Records in blocks alone may lie between rows that are older than the newest of them.
    const sure = isReached ? some.filter(({ seconds }) => seconds >= span.to) : some;
    for (const row of sure) add(past, row, need.earlier);
    const isWhole = !isReached && some.length < fewRecords;
    if (!isWhole) await searchPast((part) => readLine(tx, need, span, part), need, past);
    found.set(keyOfLine(need), past);
  }
  return found;
};

/** Maximum number of records of a page. */
const maxPage = 4096;

/** Searches a line backwards until each variable has a value. */
export const searchPast = async (
  read: LineReader['read'],
  { before, earlier }: Pick<PastNeed, 'before' | 'earlier'>,
  past: Past,
): Promise<void> => {
  for (let after = before; past.newest === undefined; ) {
    const { rows, end } = await read({ after, isBackwards: true, limit: 1 });
    for (const row of rows) add(past, row, earlier);
    if (rows.length === 0 && end === undefined) return;
    after = end;
  }
  let after = before;
  for (let limit = 8; ; limit = Math.min(4 * limit, maxPage)) {
    const names = earlier.names.filter((name) => past.value(name) === undefined);
    if (names.length === 0) return;
    const { rows, end } = await read({ after, isBackwards: true, limit, names });
    for (const row of rows) add(past, row, earlier);
    if (end === undefined) return;
    after = end;
  }
};

const add = (past: Past, row: StoredRow, earlier: EarlierInputs): void =>
  past.add(positionOf(row), earlier.measured(sentContent(row).data));
