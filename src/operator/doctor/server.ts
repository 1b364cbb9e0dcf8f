import sql from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { ago, type DoctorCheck, finding } from './finding.js';

/**
 * Settings of PostgreSQL that must not be off: otherwise acknowledged data may be lost, or the database grows without
 * end.
 */
const needed: Readonly<Record<string, string>> = {
  fsync: 'what is committed does not survive a crash of the machine',
  full_page_writes: 'a crash of the machine may damage pages',
  autovacuum: 'the database grows without end',
  track_counts: 'autovacuum does nothing',
};

/** Checks the version and the important settings of the server. */
export const checkSettings: DoctorCheck = async (database) => {
  const { rows } = await database.query<{ name: string; setting: string }>(
    sql`select name, setting from pg_settings where name = any(${[...Object.keys(needed), 'synchronous_commit', 'server_version']})`,
  );
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  const faults = Object.entries(needed)
    .filter(([name]) => settings[name] === 'off')
    .map(([name, what]) => `${name} is off: ${what}.`);
  if (settings['synchronous_commit'] === 'off')
    faults.push('synchronous_commit is off: the last answers with 200 do not survive a crash.');
  return finding('settings of the database', `PostgreSQL ${settings['server_version']}`, 'wrong', faults);
};

/** Checks the number of connections in use. */
export const checkConnections: DoctorCheck = async (database) => {
  const { rows } = await database.query<{ used: number; most: number }>(sql`
    select (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`);
  const { used, most } = rows[0]!;
  const faults = used > 0.9 * most ? [`${used} of ${most} connections are in use: raise max_connections.`] : [];
  return finding('connections of the database', `${used} of ${most} in use`, 'wrong', faults);
};

/** Maximum difference between two clocks, in seconds. Beyond it, live data may arrive late or twice (`clockSkew`). */
const skew = 10;

/** Compares the clock of this machine with the database's. */
export const checkClock: DoctorCheck = async (database, now) => {
  const begun = performance.now();
  const { rows } = await database.query<{ time: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 as time`,
  );
  const here = now.getTime() / 1000 + (performance.now() - begun) / 2000;
  const apart = Math.abs(rows[0]!.time - here);
  const faults = apart > skew ? [`This clock and the database's are ${ago(apart)} apart: let both follow NTP.`] : [];
  return finding('clock', `within ${Math.ceil(apart)} s of the database's`, 'wrong', faults);
};

/** Checks what blocks vacuum, and how close transaction numbers are to wraparound. */
export const checkVacuum: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ age: number; oldest: number }>(sql`
    select (select age(datfrozenxid) from pg_database where datname = current_database())::float8 as age,
      coalesce((select max(extract(epoch from ${now}::timestamptz - xact_start)) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend'
          and application_name not in ('ddp backup', 'ddp restore')), 0)::float8 as oldest`);
  const { age, oldest } = rows[0]!;
  const faults = [
    ...(age > 1e9 ? [`Transaction numbers are half used up (${age}): see why autovacuum does not freeze.`] : []),
    ...(oldest > hourSeconds
      ? [`A transaction has been open for ${ago(oldest)}: vacuum has cleaned up nothing since.`]
      : []),
  ];
  return finding('vacuum', 'nothing holds it back', 'wrong', faults);
};

/** Number of rows from which a table's unused indexes are reported. */
const large = 100_000;

/** Finds indexes that a build left invalid, and indexes unused since statistics were reset. */
export const checkIndexes: DoctorCheck = async (database) => {
  const { rows } = await database.query<{ name: string; valid: boolean }>(sql`
    select i.indexrelid::regclass::text as name, i.indisvalid as valid
      from pg_index i join pg_class t on t.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
      join pg_namespace n on n.oid = t.relnamespace
      left join pg_stat_user_indexes s on s.indexrelid = i.indexrelid
     where n.nspname in ('public', 'journal')
       and (not i.indisvalid or (c.relkind = 'i' and s.idx_scan = 0 and t.reltuples >= ${large} and not i.indisunique))
     order by 1`);
  const invalid = rows.filter(({ valid }) => !valid).map(({ name }) => name);
  const unused = rows.filter(({ valid }) => valid).map(({ name }) => name);
  if (invalid.length > 0)
    return finding('indexes', '', 'wrong', [`Invalid, to be dropped and built again: ${invalid.join(', ')}.`]);
  return finding(
    'indexes',
    'all are valid, and those of large tables are used',
    'note',
    unused.length > 0 ? [`On large tables, and never used since statistics began: ${unused.join(', ')}.`] : [],
  );
};
