import { createHash } from 'node:crypto';
import { invalid } from '#common/errors.js';
import { isId } from '#entities/id.js';
import { toPlain } from '#json/json.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';

/** Position of a record in an export: by time, then by the order of storing. */
export interface ExportPosition {
  /** Time in microseconds since 1970. */
  readonly micros: number;
  /** Sequence number of the record. */
  readonly seq: string;
}

/**
 * Position from which an export of records resumes: the records after `after` whose sequence number is at most
 * `horizon`.
 */
export interface RecordCursor {
  readonly horizon: string;
  readonly after: ExportPosition;
}

/**
 * Returns the mark of an export's cursors. Exports of another application, time range or query have another mark; the
 * columns may change.
 */
export const markOf = (args: ExportArgs | OrganizationExportArgs): string => {
  const { columns: _columns, format: _format, timeZone: _zone, bom: _bom, after: _after, ...others } = args;
  const { query, aggs: _aggs, ...which }: Partial<ExportArgs> = others as Partial<ExportArgs>;
  const asked = [
    Object.entries(which).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    query ? toPlain(query) : null,
  ];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 12);
};

/** Encodes the cursor of a record. */
export const cursorText = (mark: string, { horizon, after }: RecordCursor): string =>
  `${mark}_${horizon}_${after.micros}_${after.seq}`;

const written = /^([0-9a-f]{12})_(\d{1,19})_(\d{1,16})_(\d{1,19})$/;

/**
 * Decodes a cursor.
 * @throws ApiError 422 for other texts, and for a cursor of another export
 */
export const readCursor = (text: string, mark: string): RecordCursor => {
  const [, own, horizon, micros, seq] = written.exec(text) ?? [];
  if (own !== mark) throw foreign();
  return { horizon: horizon!, after: { micros: Number(micros), seq: seq! } };
};

/** Position from which a list in the order of identifiers resumes. */
export interface IdCursor {
  /** Identifier of the last item of the export. */
  readonly last: string;
  readonly after: string;
}

/** Encodes the cursor of a row, for a list in the order of identifiers. */
export const idCursorText = (mark: string, { last, after }: IdCursor): string => `${mark}_${last}_${after}`;

/**
 * Decodes the cursor of a list in the order of identifiers.
 * @throws ApiError 422 for other texts, and for a cursor of another export
 */
export const readIdCursor = (text: string, mark: string): IdCursor => {
  const [own, last = '', after = '', ...others] = text.split('_');
  if (own !== mark || !isId(last) || !isId(after) || others.length > 0) throw foreign();
  return { last, after };
};

const foreign = () =>
  invalid([{ path: 'after', message: 'This is the cursor of another export: only the columns may differ.' }]);
