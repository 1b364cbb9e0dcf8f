import sql, { Sql } from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import type { CallReads } from '#database/call-read.js';
import type { ReadingCall } from '#entities/caller.js';
import { nilId } from '#entities/id.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import type { RecordIndex } from '../record-index.js';
import type { Engine, EngineBucket, EngineCall, Part } from './engine.js';
import { newestTimesOf } from './newest-time.js';
import { readingWithin } from './reading.js';

export interface SilentDevicesOptions {
  engine: Engine;
  /** For the numbers of devices. */
  reads: CallReads;
  /** Returns milliseconds since 1970. */
  clock: () => number;
}

/** Maximum number of devices of one statement. */
const pageSize = 50_000;
/** Maximum number of devices of one answer; the engine makes no more buckets. */
const maxDevices = 65_535;
/** Time range of the first search, in seconds. Each further range reaches {@link growth} times as far back. */
const firstReach = 600;
const growth = 16;
/** Expected number of documents above which a search excludes the devices that were found already. */
const manyDocuments = 4_000_000;
/** Number of devices up to which searches name them from the start. */
const fewDevices = 1000;
/** Records lie at most a day ahead; in seconds. */
const ahead = 2 * daySeconds;

/** A device with its number in documents. */
interface Numbered {
  id: string;
  number: number;
}

/**
 * Finds the devices without a record since a time. It searches the newest minutes of all devices, then further and
 * further back for the others. Most devices have a new record; those without one have few documents to read.
 * A device with records ahead of now, and no other since then, was heard when the last of these arrived.
 */
export const createClusterSilentDevices =
  ({ engine, reads, clock }: SilentDevicesOptions): RecordIndex['silentDevices'] =>
  (call, given, since, timeoutMs) =>
    readingWithin(timeoutMs, async () => {
      const { organizationId } = call.caller;
      const asked = { organizationId, signal: call.signal, deadline: performance.now() + timeoutMs };
      await engine.fresh(organizationId, call.signal);
      const deviceIds = given instanceof Sql ? await selectedBy(given, reads, call, timeoutMs) : given;
      const { devices, ofOrganization } = await readNumbers(reads, call, deviceIds, timeoutMs);
      const isAll = ofOrganization <= maxDevices && devices.length > fewDevices;
      const heard = new Set<string>();
      for (let start = 0; start < devices.length; start += maxDevices)
        for (const id of await heardOf(engine, asked, devices.slice(start, start + maxDevices), {
          since,
          now: clock() / 1000,
          isAll,
        }))
          heard.add(id);
      return deviceIds.filter((id) => !heard.has(id));
    });

/** Reads the devices that a statement selects. */
const selectedBy = async (devices: Sql, reads: CallReads, call: ReadingCall, timeoutMs: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let after = nilId; ; after = ids.at(-1)!) {
    const page = sql`select id from (${devices}) d where id > ${after}::uuid order by id limit ${pageSize}`;
    const rows = (await reads.readWithin(call, page, timeoutMs)) as { id: string }[];
    for (const { id } of rows) ids.push(id);
    if (rows.length < pageSize) return ids;
  }
};

/** Reads the existing devices, and the number of the organization's devices. */
const readNumbers = async (reads: CallReads, call: ReadingCall, deviceIds: readonly string[], timeoutMs: number) => {
  const { organizationId } = call.caller;
  const statement = sql`
    select json_agg(json_build_object('id', d.id, 'number', d.number)) as devices,
           (select count(*)::int from device o where o.organization_id = ${organizationId}) as "ofOrganization"
      from device d where d.id = any(${deviceIds}::uuid[])`;
  const [row] = (await reads.readWithin(call, statement, timeoutMs)) as {
    devices: Numbered[] | null;
    ofOrganization: number;
  }[];
  return { devices: row!.devices ?? [], ofOrganization: row!.ofOrganization };
};

/**
 * Time since which devices must have measured, in Unix seconds. `isAll` says whether all devices of the organization
 * may be counted.
 */
interface Silence {
  since: number;
  now: number;
  isAll: boolean;
}

/** Returns the devices with a record since then. */
const heardOf = async (
  engine: Engine,
  call: EngineCall,
  devices: readonly Numbered[],
  { since, now, isAll }: Silence,
): Promise<string[]> => {
  const silent = new Map(devices.map(({ id, number }) => [number, id]));
  const heard: string[] = [];
  let isNarrow = !isAll;
  for (let [to, reach] = [now + clockTolerance / 1000, firstReach]; silent.size > 0 && to > since; reach *= growth) {
    const from = Math.max(since, now - reach);
    const { numbers, documents } = await measuredIn(engine, call, { from, to }, isNarrow ? silent : undefined);
    for (const number of numbers) {
      const id = silent.get(number);
      if (id === undefined) continue;
      heard.push(id);
      silent.delete(number);
    }
    isNarrow ||= documents * (growth - 1) > manyDocuments;
    to = from;
  }
  if (silent.size === 0) return heard;
  const future = { from: now + clockTolerance / 1000, to: now + ahead };
  const { numbers } = await measuredIn(engine, call, future, isNarrow ? silent : undefined);
  const early = numbers.flatMap((number) => silent.get(number) ?? []);
  if (early.length === 0) return heard;
  const times = await newestTimesOf(engine, { ...call, from: null, to: null }, early);
  return [...heard, ...early.filter((id) => times.get(id)! >= since)];
};

/** Returns the numbers of the devices with a record of a time range, and the number of these records. */
const measuredIn = async (
  engine: Engine,
  call: EngineCall,
  { from, to }: { from: number; to: number },
  among: ReadonlyMap<number, string> | undefined,
): Promise<{ numbers: number[]; documents: number }> => {
  const measured = { range: { us: { gte: Math.round(from * 1e6), lt: Math.round(to * 1e6) } } };
  const named = among === undefined ? [] : [{ terms: { dn: [...among.keys()] } }];
  const [answer] = await engine.search({ ...call, from, to }, [countingDevices([measured, ...named])]);
  const { aggregations, hits } = answer!;
  // If these months have no index, there are no aggregations.
  const { buckets = [] } = (aggregations?.['devices'] ?? {}) as { buckets?: readonly EngineBucket[] };
  return { numbers: buckets.map(({ key }) => Number(key)), documents: hits.total?.value ?? 0 };
};

/** A histogram of numbers takes a fifth of the time of `terms`, which sorts its buckets. */
const countingDevices = (filter: readonly Part[]): Part => ({
  size: 0,
  track_total_hits: true,
  query: { bool: { filter } },
  aggs: { devices: { histogram: { field: 'dn', interval: 1, min_doc_count: 1 } } },
});
