import { statfs } from 'node:fs/promises';
import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import { measured, plannedShare } from '../capacity.js';
import { type DoctorCheck, finding } from './finding.js';

/** Number of days to a full disk below which the doctor warns. */
const soon = 30;
/** Number of stored records above which the tables tell the average size of a record. Below it, `measured` does. */
const enough = 100_000;

interface Row {
  records: number;
  deliveries: number;
  bytes: number;
  stored: number;
}

/**
 * Compares the load of the busiest day of the last week with the capacity of this machine's cores, by the costs in
 * docs/sizing.md. Estimates when the disk is full.
 * @param cores number of processors of this machine
 * @param dataDir folder of the embedded database; undefined when the disk belongs to another machine
 */
export const checkSize =
  (cores: number, dataDir: string | undefined): DoctorCheck =>
  async (database, now) => {
    const { rows } = await database.query<Row>(sql`
      select coalesce(max(records), 0)::float8 as records, coalesce(max(deliveries), 0)::float8 as deliveries,
             pg_database_size(current_database())::float8 as bytes,
             (select coalesce(sum(greatest(c.reltuples, 0)), 0) from pg_inherits join pg_class c on c.oid = inhrelid
               where inhparent = 'public.record'::regclass)::float8 as stored
        from (select day, sum(records) as records, sum(deliveries) as deliveries from usage_day
               where product_id is null and application_id is null
                 and day >= (${now}::timestamptz at time zone 'UTC')::date - 7 and day < (${now}::timestamptz at time zone 'UTC')::date
               group by day) days`);
    const { records, deliveries, bytes, stored } = rows[0]!;
    if (records === 0) return finding('size', 'no whole day with records in the last week', 'note', []);
    const spent = (records * measured.single.processor + deliveries * measured.delivery.processor) / 1e6 / daySeconds;
    const share = spent / (cores * plannedShare);
    const each = stored > enough ? bytes / stored : measured.single.disk + measured.rollupHour.disk / 60;
    const days = dataDir === undefined ? undefined : (await freeBytes(dataDir)) / (records * each);
    const rate = `${(records / daySeconds).toPrecision(2)} records a second on the busiest day of the week, ${percent(share)} of what ${cores} cores take`;
    const says = days === undefined ? rate : `${rate}; the disk is full in ${Math.floor(days)} days at this rate`;
    const faults = share > 1 || (days !== undefined && days < soon) ? [`${says}. See docs/sizing.md.`] : [];
    return finding('size', says, 'note', faults);
  };

const percent = (share: number): string => `${share < 0.01 ? 'less than 1' : Math.round(share * 100)} %`;

const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};
