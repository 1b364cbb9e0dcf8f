import sql, { type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { type CallScope, earlyLook } from '#records/scope/call-scope.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { TimeRange } from '#search/envelope.js';
import type { Predicate } from '#search/query/predicate.js';
import { timeLeft } from '#search/query/time-left.js';
import type { SearchRequest } from '#search/request.js';
import type { Part } from '../engine.js';
import { devicesIn } from './device-question.js';
import { microsOf } from './predicate.js';
import { matchNone } from './query-part.js';

/** Maximum number of devices that are named by their identifiers, which needs no query to PostgreSQL. */
const fewDevices = 64;

/** Whether a query seems to cover all devices; these are then best read together with the scope. */
export const asksOfAll = (requests: readonly SearchRequest[]): boolean => earlyLook(requests).all;

/**
 * Application of a call: the condition on the records of all its devices if already read, and the devices if the scope
 * is limited to some.
 */
interface OfApplication {
  readonly applicationId: string;
  readonly all: Part | undefined;
  readonly named: readonly string[] | undefined;
}

/**
 * Creates the function that builds the condition on the records of devices. The condition for all devices of a call is
 * built once.
 */
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

/**
 * Builds the condition on the records of all devices of an application. Sending their identifiers to PostgreSQL would
 * take megabytes.
 */
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

/** Builds the conditions of a query's scope apart from its devices. */
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

/** Records lie between 2000 and a day from now, regardless of the requested time. Milliseconds, with a margin. */
const earliest = Date.UTC(1999, 11, 30);
const ahead = 3 * dayMs;

/**
 * Returns the time range that a query reads, in Unix seconds. @param beyond whether an aggregation also reads records
 * that do not match
 */
export const timeRead = (
  { fromMillis, toMillis }: TimeRange,
  predicates: readonly Predicate[],
  beyond: boolean,
  now: number,
): { from: number; to: number } => {
  const from = Math.min(Math.max(fromMillis, earliest), now + ahead);
  const span = { from, to: Math.max(from, Math.min(toMillis, now + ahead)) };
  const left = beyond ? span : timeLeft(span, predicates);
  // A timestamp beyond JavaScript's dates is NaN.
  const read = left.from <= left.to ? left : span;
  return { from: Math.floor(read.from / 1000), to: Math.ceil(read.to / 1000) };
};

/** Whether aggregations also read records that do not match the query. */
export const looksBeyond = (aggregations: readonly Aggregation[]): boolean =>
  aggregations.some(
    (one) =>
      one.kind === 'global' ||
      ((one.kind === 'terms' || one.kind === 'multi_terms') && one.minDocCount === 0) ||
      ('children' in one && looksBeyond(one.children)),
  );
