import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { ImportFault } from '#entities/file-import.js';
import type { Read } from '#schema/context.js';
import { type AttributePlan, planAttributes, storeAttributes } from './attributes.js';
import type { CsvRow } from './csv.js';
import type { CsvHeader } from './csv-step.js';
import { type Columns, type DeviceLine, readLine } from './device-line.js';
import { type ResolvedLine, resolveReferences } from './device-reference.js';
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
  const { plans, lines: planned } = await planLines(run, organizationId, lines, faults, { dryRun, now });
  const outcomes = await writeDevices(run, organizationId, planned, { dryRun, now });
  const writes = planned.map(({ serialKey }) => plans.get(serialKey)?.writes ?? []);
  if (!dryRun)
    await storeAttributes(
      run,
      { kind: 'device', organizationId },
      outcomes.flatMap(({ id }, index) =>
        id === undefined ? [] : writes[index]!.map((one) => ({ ...one, ownerId: id })),
      ),
    );
  const statuses = outcomes.map(({ status }, index) =>
    status === 'unchanged' && writes[index]!.length > 0 ? 'updated' : status,
  );
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    lines: rows.length,
    rejected: rows.length - planned.length,
    faults: faults.sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0)),
  };
}

/** Plans the attributes of lines. Returns the lines without those whose attributes would be too many. */
const planLines = async (
  run: Read,
  organizationId: string,
  lines: readonly ResolvedLine[],
  faults: ImportFault[],
  options: { dryRun: boolean; now: Date },
): Promise<{ plans: Map<string, AttributePlan>; lines: readonly ResolvedLine[] }> => {
  const named = lines.flatMap(({ serialKey, attributes }) =>
    attributes == null
      ? []
      : { ownerKey: serialKey, attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })) },
  );
  if (named.length === 0) return { plans: new Map(), lines };
  const plans = await planAttributes(run, { kind: 'device', organizationId }, named, options);
  const sound = lines.filter(({ serialKey, line, columns }) => {
    const found = plans.get(serialKey)?.faults ?? [];
    for (const { message } of found)
      faults.push({ line, column: columns.attributes! + 1, field: 'attributes', message });
    return found.length === 0;
  });
  return { plans, lines: sound };
};

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
