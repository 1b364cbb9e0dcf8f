import type { PlainJson } from '#json/json.js';
import type { AnswerDevices } from '#records/answer/device-answer.js';
import { type FoundRecord, type HitShape, hitOf } from '#records/answer/hit.js';
import type { Hit } from '#records/record-index.js';
import type { QueryReader, Rows } from '#records/scope/snapshot-reader.js';
import { nameOfText } from '../statement-names.js';
import { readAlonePage } from './alone-page.js';
import { type BlockHits, noBlockHits, type ShownRecords } from './block-hit.js';
import { type DevicesFound, devicesIn, loadDevices } from './hit-device.js';
import { loadMatched } from './matched.js';
import { newestFirst } from './newest.js';
import {
  atOnce,
  columnCount,
  type HitsRequest,
  isOnePlan,
  lengthOf,
  readsBlocks,
  statement,
  withDevices,
} from './page.js';
import { loadStaleTypes } from './stale-type.js';

/**
 * Number of rows that are read at once in the order of an index. A cursor's statement cannot be kept prepared; further
 * rows take another statement.
 */
const atOncePrepared = 1000;

/** The records of a page, and what was read beside them. */
interface PageRead {
  readonly rows: unknown[][];
  readonly beside: readonly DevicesFound[];
  readonly inBlocks: BlockHits;
}

/** Reads a page of records. */
export const readHits = async (reader: QueryReader, request: HitsRequest): Promise<Hit[]> => {
  if (request.size === 0 || request.scope.deviceIds.length === 0) return [];
  const isBare = request.source === false && request.fields.length === 0;
  const { rows, beside, inBlocks } = readsBlocks(request)
    ? { ...(await readAlonePage(reader, request)), beside: [] }
    : await readRows(reader, request, isBare);
  const shown = { organizationId: request.scope.organizationId, inBlocks };
  const devices =
    beside.length > 0
      ? await withStaleTypes(reader.rows, rows, devicesIn(beside), shown)
      : await devicesOf(reader.rows, isBare ? [] : rows, shown);
  const matched = await loadMatched(reader, rows, request.names, inBlocks);
  const shape = shapeHits({ ...request, ...shown });
  return reader.pace.map(rows, (row) => shape(row, { ...devices, matched }));
};

/** Reads a page whose records are all in rows. */
const readRows = async (reader: QueryReader, request: HitsRequest, isBare: boolean): Promise<PageRead> => {
  const rows: unknown[][] = [];
  const take = (batch: unknown[][]) => {
    for (const row of batch) request.weigh(lengthOf(row));
    rows.push(...batch);
  };
  const beside: DevicesFound[] = [];
  const read = async (part: HitsRequest) => {
    const page = statement(part);
    if (!isOnePlan(part)) return reader.tuples(page);
    if (isBare) return reader.tuples(page, nameOfText(page.text));
    const both = withDevices(page);
    const records = await reader.tuples(both, nameOfText(both.text));
    const [found] = records.map((record) => record.pop() as string);
    beside.push(found === undefined ? { devices: [], products: [] } : (JSON.parse(found) as DevicesFound));
    return records;
  };
  const onePlan = isOnePlan(request);
  if (request.size > (onePlan ? atOncePrepared : atOnce)) {
    // A page in the order of an index is usually not full.
    const begun = onePlan ? atOncePrepared : 0;
    if (begun > 0) take(await read({ ...request, size: begun }));
    if (rows.length === begun) {
      const rest = { ...request, from: request.from + begun, size: request.size - begun };
      beside.length = 0;
      await reader.batches(statement(rest), take);
    }
  } else {
    for (const scope of newestFirst(request)) {
      const size = request.size - rows.length;
      if (size > 0) take(await read({ ...request, scope, size }));
    }
  }
  return { rows, beside, inBlocks: noBlockHits };
};

/** Data that hits need besides their records. */
export interface Surroundings extends AnswerDevices {
  /** Paths with stale types by record, see {@link loadStaleTypes}. */
  readonly staleTypes: ReadonlyMap<string, string[]>;
  /** Names of matching clauses by record, see {@link loadMatched}. */
  readonly matched?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the devices, the owners of the products and the values of stale types for records that were read with {@link
 * hitColumns}.
 */
export const devicesOf = async (
  rows: Rows,
  records: readonly (readonly unknown[])[],
  shown: ShownRecords,
): Promise<Surroundings> => {
  const devices = await loadDevices(
    rows,
    records.map((record) => record[2] as string),
    records.flatMap((record) => (record[3] as string | null) ?? []),
  );
  return withStaleTypes(rows, records, devices, shown);
};

const withStaleTypes = async (
  rows: Rows,
  records: readonly (readonly unknown[])[],
  devices: AnswerDevices,
  shown: ShownRecords,
): Promise<Surroundings> => {
  const older = records.flatMap((record) => (devices.retyped.has(record[3] as string) ? (record[0] as string) : []));
  return { ...devices, staleTypes: older.length === 0 ? new Map() : await loadStaleTypes(rows, older, shown) };
};

/** Creates the function that turns a record that was read with {@link hitColumns} into a hit. */
export const shapeHits = (shape: HitShape) => {
  const make = hitOf(shape);
  return (record: readonly unknown[], devices: Surroundings): Hit => {
    const [id, ts, deviceId, productId, metadata, data, frame, unfit] = record as HitRow;
    const found: FoundRecord = {
      id,
      ts: Number(ts),
      deviceId,
      productId,
      metadata: () => JSON.parse(metadata) as PlainJson,
      data: () => JSON.parse(data) as PlainJson,
      frame: frame === null ? undefined : () => JSON.parse(frame) as PlainJson,
      ignored: [...(unfit ?? []), ...(devices.staleTypes.get(id) ?? [])],
      sort: record.slice(columnCount),
      matched: devices.matched?.get(id),
    };
    return make(found, devices);
  };
};

type HitRow = readonly [string, string, string, string | null, string, string, string | null, string[] | null];
