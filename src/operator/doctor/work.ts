import sql from 'sql-template-tag';
import { ago, type DoctorCheck, finding } from './finding.js';

/** Checks the partitions for the coming days. Without them, records and deliveries cannot be stored in their place. */
export const checkPartitions: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ record: boolean; delivery: boolean; stray: boolean }>(sql`
    select exists (
        select from pg_inherits, regexp_match(
          pg_get_expr((select relpartbound from pg_class where oid = inhrelid), inhrelid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') bound
        where inhparent = 'public.record'::regclass and bound[1]::timestamptz <= ${now}::timestamptz + interval '7 days'
          and bound[2]::timestamptz > ${now}::timestamptz + interval '7 days') as record,
      to_regclass('public.delivery_done_' || to_char(${now}::timestamptz + interval '1 day', 'YYYYMMDD')) is not null as delivery,
      exists (select from delivery_done_default) as stray`);
  const { record, delivery, stray } = rows[0]!;
  const faults = [
    ...(record ? [] : ['There is no partition for the records of next week: is a process running?']),
    ...(delivery ? [] : ['There is no partition for the deliveries of tomorrow: is a process running?']),
    ...(stray ? ['Deliveries lie in the default partition (delivery_done_default).'] : []),
  ];
  return finding('partitions', 'made ahead', 'wrong', faults);
};

/** Finds jobs that no process advances. */
export const checkJobs: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ stuck: number; oldest: number }>(sql`
    select count(*)::int as stuck, coalesce(max(extract(epoch from ${now}::timestamptz - updated_at)), 0)::float8 as oldest
      from job where state in ('pending', 'running') and updated_at < ${now}::timestamptz - interval '10 minutes'`);
  const { stuck, oldest } = rows[0]!;
  const faults = stuck > 0 ? [`${stuck} have not advanced for up to ${ago(oldest)}: is a process running?`] : [];
  return finding('jobs', 'none is stuck', 'wrong', faults);
};

/** Age from which the oldest delivery of a callable hook is late, in seconds. */
const late = 15 * 60;

/** Finds deliveries that are due but not called. */
export const checkDeliveries: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ oldest: number }>(sql`
    select coalesce(max(extract(epoch from ${now}::timestamptz - due.at)), 0)::float8 as oldest
      from hook h join hook_state s on s.hook_id = h.id
      cross join lateral (
        select next_attempt_at as at from delivery_open d
         where d.hook_id = h.id and d.event = 'record' order by next_attempt_at limit 1) due
     where not h.disabled and s.circuit_until is null and h.max_per_second is null`);
  const { oldest } = rows[0]!;
  const faults =
    oldest > late ? [`The oldest that is due has waited for ${ago(oldest)}: are enough processes running?`] : [];
  return finding(
    'deliveries',
    oldest > 0 ? `the oldest has been due for ${ago(oldest)}` : 'none is late',
    'wrong',
    faults,
  );
};

/** Finds hours whose rollups are missing. */
export const checkRollups: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ oldest: number }>(sql`
    select coalesce(max(extract(epoch from ${now}::timestamptz - noted_at)), 0)::float8 as oldest
      from record_dirty where hour < ${now}::timestamptz - interval '1 hour'`);
  const { oldest } = rows[0]!;
  const faults = oldest > 7200 ? [`Hours have waited for ${ago(oldest)} for their rollups: is a process running?`] : [];
  return finding('rollups', 'up to date', 'wrong', faults);
};

/** Checks the records that wait to be indexed on a cluster. */
export const checkIndexing: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ oldest: number; refused: number }>(sql`
    select coalesce((select extract(epoch from ${now}::timestamptz - created_at) from record_batch order by id limit 1), 0)::float8 as oldest,
      (select count(*) from index_dead_letter)::int as refused`);
  const { oldest, refused } = rows[0]!;
  const faults = [
    ...(oldest > 600 ? [`Records have waited for ${ago(oldest)} to be indexed: is the cluster there?`] : []),
    ...(refused > 0 ? [`The cluster refuses ${refused} records: ddp index dead-letters lists them.`] : []),
  ];
  return finding('index on a cluster', 'nothing waits', 'wrong', faults);
};
