import sql, { type Sql } from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import { timeOf } from '#entities/id.js';
import type { Matchable } from '#records/record-log.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import { hasAlone, recordsAt } from '../alone-record.js';

/** Time after the arrival of a record, and after the record, in milliseconds, within which it is certainly a row. */
const [afterArrival, afterRecord] = [30_000, hourMs];

/** Returns whether the day of a record may be in blocks alone. */
export const mayBeAlone =
  (now: number) =>
  ({ id, ts }: Matchable): boolean =>
    timeOf(id) < now - afterArrival && ts * 1000 < now - afterRecord;

/** Selects all rows, and those of some records that are in blocks alone. */
export const withAlone = (
  { organizationId, deviceIds }: { organizationId: string; deviceIds: readonly string[] },
  records: readonly Matchable[],
  predicates: readonly Predicate[],
): Sql => {
  const columns = sql`organization_id, device_id, product_id, id, seq, ts, metadata, data, many`;
  const readsMetadata = predicates
    .flatMap(fieldsOf)
    .some(
      ({ path, origin: { kind, ...origin } }) =>
        kind !== 'declared' && (path === '' || !('root' in origin) || origin.root === 'metadata'),
    );
  const places = sql`(
    select * from record_block_find(${organizationId}::uuid, ${records.map(({ id }) => id)}::uuid[], ${deviceIds}::uuid[])
    where ${hasAlone(organizationId)})`;
  return sql`(
    select ${columns}, numbers, texts from record
    union all
    select ${columns}, numbers, texts from ${recordsAt(places, readsMetadata ? ['metadata', 'data', 'many'] : ['data', 'many'], true)} b)`;
};
