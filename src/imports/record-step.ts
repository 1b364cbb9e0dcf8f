import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { ImportFault } from '#entities/file-import.js';
import { isId } from '#entities/id.js';
import { serialKey } from '#entities/serial.js';
import { type Item, type ItemCode, Rejection } from '#records/item.js';
import { recordOf } from '#records/new-record.js';
import { loadDevices } from '#records/postgres/log/device.js';
import type { RecordLog } from '#records/record-log.js';
import type { CsvRow } from './csv.js';
import type { CsvHeader } from './csv-step.js';
import type { OpenImport, Tally } from './import-row.js';
import type { RecordColumns } from './record-column.js';
import { deviceOf, type RecordLine, readRecordRow } from './record-line.js';

/** Result of storing the records of a step, which is also the idempotent answer of the call. */
type Stored = { created: number; unchanged: number; refused: { index: number; code: ItemCode; message: string }[] };

/** Parameters of importing lines of records. */
export interface TakeRecords {
  records: Pick<RecordLog, 'append'>;
  dryRun: boolean;
  now: Date;
  /**
   * Byte offset of the lines in the file. It is part of the idempotency key of the call, so a repeated step stores
   * nothing twice.
   */
  offset: number;
  /** Number of lines read, including those missing from `lines`. */
  count: number;
  /** Columns of the file, if it has any. */
  columns?: RecordColumns;
}

/** Stores lines. A dry run only checks them. */
export async function takeRecords(
  tx: PoolClient,
  open: OpenImport,
  lines: readonly RecordLine[],
  { records, dryRun, now, offset, count, columns }: TakeRecords,
): Promise<Tally> {
  const faults: ImportFault[] = [];
  const good: { line: number; item: Item }[] = [];
  for (const each of lines) {
    if ('item' in each) good.push(each);
    else faults.push({ line: each.line, ...each.fault });
  }
  const items = good.map(({ item }) => item);
  const stored = dryRun ? await check(tx, open, items, now) : await store(open, items, records, offset);
  for (const { index, code, message } of stored.refused)
    faults.push({ line: good[index]!.line, ...placeOf(code, columns), message });
  return {
    lines: count,
    created: stored.created,
    updated: 0,
    unchanged: stored.unchanged,
    rejected: faults.length,
    faults: faults.sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0)),
  };
}

const store = async (
  { id, organizationId, options }: OpenImport,
  items: readonly Item[],
  records: Pick<RecordLog, 'append'>,
  offset: number,
): Promise<Stored> => {
  if (items.length === 0) return { created: 0, unchanged: 0, refused: [] };
  const { accepted, duplicates, results } = await records.append({
    organizationId,
    items,
    withoutHooks: !options.callHooks,
    isImport: true,
    idempotencyKey: {
      organizationId,
      path: `imports/${id}`,
      key: `${offset}-${items.length}`,
      bodyHash: createHash('sha256').digest(),
    },
  });
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? { index: result.index, ...result.error } : [],
  );
  return { created: accepted, unchanged: duplicates, refused };
};

/** Checks which records storing would refuse. It does not look up whether a record was stored before. */
const check = async (
  tx: PoolClient,
  { organizationId }: OpenImport,
  items: readonly Item[],
  now: Date,
): Promise<Stored> => {
  const devices = await loadDevices(tx, [{ organizationId, items }]);
  const refused = items.flatMap((item, index) => {
    const device = devices.find(organizationId, item);
    if (device === undefined) {
      const name = item.deviceId ?? item.serials[0] ?? '';
      return { index, code: 'UNKNOWN_DEVICE' as const, message: `The organization has no device ${name}.` };
    }
    const made = recordOf(item, device, undefined, now.getTime() / 1000);
    return made instanceof Rejection ? { index, code: made.code, message: made.message } : [];
  });
  return { created: items.length - refused.length, unchanged: 0, refused };
};

const placeOf = (code: ItemCode, columns: RecordColumns | undefined): Omit<ImportFault, 'line' | 'message'> => {
  const of = (field: string, index: number | undefined) => ({
    ...(index !== undefined && { column: index + 1 }),
    field,
  });
  if (code === 'UNKNOWN_DEVICE') return of(columns?.isById ? 'deviceId' : 'serial', columns?.device);
  return code === 'TS_OUT_OF_RANGE' ? of('ts', columns?.ts) : {};
};

/** Reads rows of CSV. Cells of text variables are not interpreted. */
export async function readRecordRows(
  tx: PoolClient,
  organizationId: string,
  rows: readonly CsvRow[],
  header: CsvHeader<RecordColumns>,
): Promise<RecordLine[]> {
  const { columns } = header;
  const named = (row: CsvRow) => deviceOf(row.cells, columns);
  const texts = await loadTexts(tx, organizationId, [...new Set(rows.map(named))], columns.isById);
  const isText = (device: string, variable: string) =>
    texts.get(nameOf(device, columns.isById))?.has(variable) === true;
  return rows.map((row) => readRecordRow(row, header, isText));
}

const nameOf = (device: string, isById: boolean) => (isById ? device : serialKey(device));

/** Loads the text variables of devices, keyed by the device's identifier or serial. */
const loadTexts = async (
  tx: PoolClient,
  organizationId: string,
  devices: readonly string[],
  isById: boolean,
): Promise<Map<string, Set<string>>> => {
  const names = devices.map((each) => nameOf(each, isById)).filter((each) => !isById || isId(each));
  const { rows } = await tx.query<{ name: string; texts: string[] }>(sql`
    select ${isById ? sql`d.id::text` : sql`d.serial_key`} as name, t.texts
      from device d join lateral (
        select array_agg(v ->> 'name') as texts from product p cross join jsonb_array_elements(p.variables) v
         where p.id = d.product_id and v ->> 'type' = 'TXT') t on t.texts is not null
     where d.organization_id = ${organizationId}
       and ${isById ? sql`d.id = any(${names}::uuid[])` : sql`d.serial_key = any(${names}::text[])`}`);
  return new Map(rows.map(({ name, texts }) => [name, new Set(texts)]));
};
