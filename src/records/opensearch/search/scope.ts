import sql, { type Sql } from 'sql-template-tag';
import type { Aggregation } from '../../../search/aggregation/aggregation.js';
import type { TimeRange } from '../../../search/envelope.js';
import type { Predicate } from '../../../search/query/predicate.js';
import { timeLeft } from '../../../search/query/time-left.js';
import type { SearchRequest } from '../../../search/request.js';
import { type CallScope, earlyLook } from '../../postgres/search/call-scope.js';
import type { Rows } from '../../postgres/search/snapshot-reader.js';
import type { Part } from '../engine.js';
import { devicesIn } from './device-question.js';
import { matchNone } from './part.js';
import { microsOf } from './predicate.js';

/** Devices up to so many are named by their identifiers, for which PostgreSQL need not be asked. */
const fewDevices = 64;

/** Whether some query seems to be about all devices: what these are is best read with the scope then. */
export const asksOfAll = (requests: readonly SearchRequest[]): boolean => earlyLook(requests).all;

/** Of which application, the records of all its devices where they were read already, and whether the scope is of some only. */
interface OfApplication {
  readonly applicationId: string;
  readonly all: Part | undefined;
  readonly named: readonly string[] | undefined;
}

/** Makes the function that finds the records of devices; those of all devices of a call are found once. */
export const createRecordsOf = (rows: Rows, scope: CallScope, { applicationId, all: read, named }: OfApplication) => {
  let all = read && Promise.resolve(read);
  return async (deviceIds: readonly string[]): Promise<Part> => {
    if (deviceIds.length === 0) return matchNone;
    if (deviceIds.length <= fewDevices) return { terms: { d: deviceIds } };
    if (deviceIds === scope.deviceIds && named === undefined)
      return (all ??= recordsOfApplication(rows, applicationId));
    return devicesIn(await numbersOf(rows, sql`id = any(${deviceIds}::uuid[])`));
  };
};

/** The records of all devices of an application. Their identifiers would take megabytes on their way to PostgreSQL. */
export const recordsOfApplication = async (rows: Rows, applicationId: string): Promise<Part> =>
  devicesIn(
    await numbersOf(
      rows,
      sql`id in (select device_id from application_device where application_id = ${applicationId}::uuid)`,
      'devices of application',
    ),
  );

const numbersOf = async (rows: Rows, among: Sql, name?: string): Promise<readonly number[]> => {
  const [found] = await rows<{ numbers: number[] }>(
    sql`select coalesce(array_agg(number order by number), '{}') as numbers from device where ${among}`,
    name,
  );
  return found!.numbers;
};

/** What every record of a query's scope is, but for its device. */
export const scopeParts = (
  organizationId: string,
  productIds: readonly string[],
  { from, to }: TimeRange,
): readonly Part[] => {
  const time: Record<string, number> = {};
  if (from === 'infinity' || to === '-infinity') return [matchNone];
  if (from !== '-infinity') time['gte'] = microsOf(from);
  if (to !== 'infinity') time['lte'] = microsOf(to);
  return [
    { term: { o: organizationId } },
    ...(productIds.length === 0 ? [] : [{ terms: { p: productIds } }]),
    ...(Object.keys(time).length === 0 ? [] : [{ range: { us: time } }]),
  ];
};

/** Records are from 2000 on and at most a day ahead, whatever was asked for. Milliseconds. */
const earliest = Date.UTC(1999, 11, 30);
const ahead = 3 * 86_400_000;

/** The time that a query reads, in Unix seconds. @param beyond whether some aggregation looks beyond the query */
export const timeRead = (
  { fromMillis, toMillis }: TimeRange,
  predicates: readonly Predicate[],
  beyond: boolean,
  now: number,
): { from: number; to: number } => {
  const from = Math.min(Math.max(fromMillis, earliest), now + ahead);
  const span = { from, to: Math.max(from, Math.min(toMillis, now + ahead)) };
  const left = beyond ? span : timeLeft(span, predicates);
  // A timestamp beyond the calendar reads as no number.
  const read = left.from <= left.to ? left : span;
  return { from: Math.floor(read.from / 1000), to: Math.ceil(read.to / 1000) };
};

/** Whether aggregations look beyond the records that match. */
export const looksBeyond = (aggregations: readonly Aggregation[]): boolean =>
  aggregations.some(
    (one) =>
      one.kind === 'global' ||
      ((one.kind === 'terms' || one.kind === 'multi_terms') && one.minDocCount === 0) ||
      ('children' in one && looksBeyond(one.children)),
  );
