import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { IgnoredValues, ImportFault } from '#entities/file-import.js';
import { type Item, type ItemCode, Rejection } from '#records/item.js';
import { createRecord } from '#records/new-record.js';
import type { RecordLog } from '#records/record-log.js';
import type { CsvRow } from './csv.js';
import type { CsvHeader } from './csv-step.js';
import { type DeclaringDevice, keepNames, loadDeclaring } from './declared.js';
import { addIgnored, ignoredOf } from './ignored-values.js';
import type { OpenImport, Tally } from './import-row.js';
import type { RecordColumns } from './record-column.js';
import { deviceCell, type GoodLine, type RecordLine, readRecordRow, withKey } from './record-line.js';

/** Result of storing the records of a step, or of checking them. */
interface Stored {
  created: number;
  unchanged: number;
  refused: { index: number; code: ItemCode; message: string }[];
  ignored?: readonly IgnoredValues[];
}

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
  /** Names of values whose dots made objects, for lines that do not have their own. */
  dotted?: readonly string[];
}

/** Stores lines. A dry run only checks them. */
export async function takeRecords(
  tx: PoolClient,
  open: OpenImport,
  lines: readonly RecordLine[],
  { records, dryRun, now, offset, count, columns, dotted = [] }: TakeRecords,
): Promise<Tally> {
  const faults: ImportFault[] = [];
  const good: GoodLine[] = [];
  for (const each of lines) {
    if ('item' in each) good.push(each);
    else faults.push({ line: each.line, ...each.fault });
  }
  const namesOf = (line: GoodLine) => line.dotted ?? dotted;
  const wanted = dryRun ? good : good.filter((line) => namesOf(line).length > 0);
  const declaring = await loadDeclaring(tx, open.organizationId, wanted.map(itemOf));
  for (const line of wanted) keepNames(line.item.data, namesOf(line), declaring(line.item)?.declared);
  const stored = dryRun ? check(good, declaring, now) : await store(open, good.map(itemOf), records, offset);
  for (const { index, code, message } of stored.refused)
    faults.push({ line: good[index]!.line, ...placeOf(code, columns), message });
  return {
    lines: count,
    created: stored.created,
    updated: 0,
    unchanged: stored.unchanged,
    rejected: faults.length,
    faults: faults.sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0)),
    ...(stored.ignored && { ignored: stored.ignored }),
  };
}

const itemOf = ({ item }: GoodLine): Item => item;

const store = async (
  { id, organizationId, options }: OpenImport,
  items: readonly Item[],
  records: Pick<RecordLog, 'append'>,
  offset: number,
): Promise<Stored> => {
  if (items.length === 0) return { created: 0, unchanged: 0, refused: [] };
  const { accepted, duplicates, results } = await records.append({
    organizationId,
    items: items.map(withKey),
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

/**
 * Checks which records storing would refuse, and which of their values do not fit their variables. It does not look up
 * whether a record was stored before.
 */
const check = (
  lines: readonly GoodLine[],
  declaring: (item: Item) => DeclaringDevice | undefined,
  now: Date,
): Stored => {
  const ignored: IgnoredValues[] = [];
  const refused = lines.flatMap(({ line, item }, index) => {
    const found = declaring(item);
    if (found === undefined) {
      const name = item.deviceId ?? item.serials[0] ?? '';
      return { index, code: 'UNKNOWN_DEVICE' as const, message: `The organization has no device ${name}.` };
    }
    const made = createRecord(item, found.device, found.declared, now.getTime() / 1000);
    if (made instanceof Rejection) return { index, code: made.code, message: made.message };
    if (found.declared) ignored.push(...ignoredOf(line, made, found.declared));
    return [];
  });
  return { created: lines.length - refused.length, unchanged: 0, refused, ignored: addIgnored([], ignored) };
};

const placeOf = (code: ItemCode, columns: RecordColumns | undefined): Omit<ImportFault, 'line' | 'message'> => {
  const of = (field: string, index: number | undefined) => ({
    ...(index !== undefined && { column: index + 1 }),
    field,
  });
  if (code === 'UNKNOWN_DEVICE') return of(columns?.isById ? 'deviceId' : 'serial', columns?.device);
  return code === 'TS_OUT_OF_RANGE' ? of('ts', columns?.ts) : {};
};

/** Reads rows of CSV, with what the products of their devices declare. */
export async function readRecordRows(
  tx: PoolClient,
  organizationId: string,
  rows: readonly CsvRow[],
  header: CsvHeader<RecordColumns>,
): Promise<RecordLine[]> {
  const { columns } = header;
  const named = (device: string) =>
    columns.isById ? { serials: [], deviceId: device.toLowerCase() } : { serials: [device] };
  const devices = [...new Set(rows.map(({ cells }) => deviceCell(cells, columns)))];
  const find = await loadDeclaring(tx, organizationId, devices.map(named));
  const declared = new Map(devices.map((device) => [device, find(named(device))?.declared]));
  return rows.map((row) => readRecordRow(row, header, (device, variable) => declared.get(device)?.types.get(variable)));
}
