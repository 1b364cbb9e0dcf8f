import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import type { PlainJson } from '../json.js';
import type { NewRecord } from './new-record.js';

/** Stores records by COPY in its text form, which PostgreSQL takes in faster than any INSERT. */
export const copyRecords = (tx: PoolClient, records: readonly NewRecord[]): Promise<void> =>
  pipeline(
    chunks(records),
    tx.query(
      from(`copy record (id, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored)
        from stdin`),
    ),
  );

/** Records in one chunk: enough to make few writes, little enough to keep one call's memory small. */
const chunkSize = 500;

function* chunks(records: readonly NewRecord[]): Generator<Buffer> {
  for (let start = 0; start < records.length; start += chunkSize) {
    let text = '';
    for (const record of records.slice(start, start + chunkSize)) text += lineOf(record);
    yield Buffer.from(text, 'utf8');
  }
}

const lineOf = ({ id, device, ts, metadata, data, frame, given, typed }: NewRecord): string =>
  `${id}\t${device.organizationId}\t${device.id}\t${device.product?.id ?? nothing}\t${timestampOf(ts)}\t${jsonOf(metadata)}\t${jsonOf(
    data,
  )}\t${jsonOf(frame)}\t${jsonOf(given)}\t${numbersOf(typed.numbers)}\t${textsOf(typed.texts)}\t${jsonOf(typed.many)}\t${textsOf(
    typed.ignored,
  )}\n`;

/** NULL in the text form. */
const nothing = '\\N';

/** A backslash is the only character of JSON text that the text form reads as something else. */
const escape = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);

const jsonOf = (value: PlainJson | undefined): string =>
  value === undefined ? nothing : escape(JSON.stringify(value));

const numbersOf = (values: readonly (number | null)[] | undefined): string =>
  values ? `{${values.map((value) => value ?? 'NULL').join(',')}}` : nothing;

/** Elements are quoted like JSON text, which escapes control characters in a way that arrays do not know: so by hand. */
const textsOf = (values: readonly (string | null)[] | undefined): string =>
  values
    ? `{${values.map((value) => (value === null ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`
        .replaceAll('\\', '\\\\')
        .replaceAll('\n', '\\n')
        .replaceAll('\r', '\\r')
        .replaceAll('\t', '\\t')
    : nothing;

/** ISO 8601 in UTC with microseconds. */
export const timestampOf = (seconds: number): string => {
  const microseconds = Math.round(seconds * 1e6);
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = `${microseconds - milliseconds * 1000}`.padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
};
