import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { ImportFault } from '#entities/file-import.js';
import type { CsvRow } from './csv.js';
import type { CsvHeader } from './csv-step.js';
import { type Columns, type DeviceLine, readLine } from './device-line.js';
import { resolveReferences } from './device-reference.js';
import { writeDevices } from './device-write.js';
import type { OpenImport, Tally } from './import-row.js';

/** Imports rows of devices. A dry run only counts what that would change. */
export async function takeDevices(
  tx: PoolClient,
  { id, organizationId, options }: OpenImport,
  rows: readonly CsvRow[],
  header: CsvHeader<Columns>,
  { dryRun, now }: { dryRun: boolean; now: Date },
): Promise<Tally> {
  const faults: ImportFault[] = [];
  const read: DeviceLine[] = [];
  for (const row of rows) {
    const line = readLine(row, header, options);
    if (Array.isArray(line)) faults.push(...line);
    else read.push(line);
  }
  const first = await claimSerials(tx, id, read, faults);
  const { lines, faults: unresolved } = await resolveReferences(tx, organizationId, first);
  faults.push(...unresolved);
  const run = async <Row extends object>(query: Sql) => (await tx.query<Row>(query)).rows;
  const outcomes = await writeDevices(run, organizationId, lines, { dryRun, now });
  const count = (wanted: string) => outcomes.filter(({ status }) => status === wanted).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    lines: rows.length,
    rejected: rows.length - lines.length,
    faults: faults.sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0)),
  };
}

/** Returns the lines without those whose serial stands on an earlier line, for which it adds faults. */
const claimSerials = async (
  tx: PoolClient,
  importId: string,
  lines: readonly DeviceLine[],
  faults: ImportFault[],
): Promise<DeviceLine[]> => {
  if (lines.length === 0) return [];
  const claims = new Map<string, number>();
  for (const { serialKey, line } of lines) if (!claims.has(serialKey)) claims.set(serialKey, line);
  const { rows } = await tx.query<{ serialKey: string; line: number }>(sql`
    insert into file_import_serial as s (import_id, serial_key, line)
    select ${importId}::uuid, * from unnest(${[...claims.keys()]}::text[], ${[...claims.values()]}::bigint[])
    -- Changes nothing, and gives the line that has the serial.
    on conflict (import_id, serial_key) do update set line = s.line
    returning serial_key as "serialKey", line::float8 as line`);
  const holders = new Map(rows.map(({ serialKey, line }) => [serialKey, line]));
  return lines.filter(({ serialKey, line, columns }) => {
    const holder = holders.get(serialKey)!;
    if (holder === line) return true;
    const column = columns.serial! + 1;
    faults.push({ line, column, field: 'serial', message: `The serial is already on line ${holder}.` });
    return false;
  });
};
