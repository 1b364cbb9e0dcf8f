import { StreamType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { readPayload } from '#records/decode/payload.js';
import type { ItemFrame, PlainObject } from '#records/item.js';
import { readTime } from './cell-time.js';
import { isExportHeader, isObject, putAtPath, type RecordBody } from './exported-column.js';
import { dottedIn, readRecordColumns } from './record-column.js';

/**
 * Converts a line of an export to the native format. The line is a whole record, whose `device` is an object, or has
 * chosen columns, named by path. A line that is not of an export stays as it is.
 * @returns the record and the names whose dots made objects; a message if its time is not valid, or it names no device
 * or time
 */
export const fromExport = (line: PlainObject): { body: PlainObject; dotted?: string[] } | string => {
  const names = Object.keys(line);
  if (!isExportHeader(names)) return { body: line };
  const ts = typeof line['ts'] === 'string' ? readTime(line['ts']) : line['ts'];
  if (typeof ts === 'string') return ts;
  const timed = ts === undefined ? line : { ...line, ts };
  if (!isObject(line['device']) || names.some((name) => name.includes('.'))) return ofColumns(timed, names);
  const { id: _id, cursor: _cursor, device, ...whole } = timed;
  return { body: { data: {}, ...whole, ...namedBy(device!) } };
};

/** Names the device that an export wrote as an object, a serial or an identifier. */
const namedBy = (device: PlainJson, isById = false): PlainObject => {
  if (!isObject(device)) return { [isById ? 'deviceId' : 'serial']: device };
  const { id, serial } = device;
  return serial === undefined ? { deviceId: id ?? null } : { serial };
};

/** Builds a record from columns by path, as files with a header have them. */
const ofColumns = (line: PlainObject, names: readonly string[]): ReturnType<typeof fromExport> => {
  const columns = readRecordColumns(names, 1);
  if (Array.isArray(columns)) return columns[0]!.message;
  const at = (index: number): PlainJson => line[names[index]!]!;
  const body: RecordBody = {
    ...namedBy(at(columns.device), columns.isById),
    ts: at(columns.ts),
    ...(columns.key !== undefined && { key: at(columns.key) }),
    data: {},
    metadata: {},
  };
  for (const { index, path } of columns.values) putAtPath(body, path, at(index), true);
  return { body, dotted: dottedIn(columns) };
};

/**
 * Takes a frame off a record that lacks a part of its stream, as exports write it if the sender named none. Only the
 * native format demands both parts.
 */
export const takeBareFrame = (body: PlainObject): { rest: PlainObject; frame?: ItemFrame } => {
  const { frame, ...rest } = body;
  if (!isObject(frame) || frame['encoding'] !== undefined) return { rest: body };
  const { streamId, streamType, payload } = frame;
  if (streamId !== undefined && (streamType !== undefined || !Number.isInteger(streamId))) return { rest: body };
  const bytes = typeof payload === 'string' ? readPayload(payload, 'hex') : undefined;
  if (bytes === undefined) return { rest: body };
  return {
    rest: { data: {}, ...rest },
    frame: {
      bytes,
      ...(streamId !== undefined && { streamId: streamId as number }),
      ...(typeof streamType === 'string' && streamType in StreamType && { streamType: streamType as StreamType }),
    },
  };
};
