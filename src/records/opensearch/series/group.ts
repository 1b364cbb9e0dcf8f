import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { invalid } from '#common/errors.js';
import { DeviceReduction } from '#entities/group-series.js';
import { type GroupPlan, planGroup } from '#records/answer/group-plan.js';
import { pairsToRead, requireFewValues, seriesTooLong } from '#records/answer/series-answer.js';
import type { GroupCall } from '#records/group-series.js';
import { readFacts } from '#records/postgres/search/group/fact.js';
import { type GroupOptions, readInSnapshot, readLines } from '#records/postgres/search/group/group.js';
import type { RecordIndex } from '#records/record-index.js';
import { declaredPairs } from '#records/scope/declared.js';
import { TimedOut } from '#search/pace.js';
import type { Engine } from '../engine.js';
import type { FieldPlaces } from '../place.js';
import { readNewest, readValues } from './point.js';
import { sourcesOf } from './source.js';

/** Maximum number of devices of a group, because each has a request of its own. */
const maxDevices = 1000;

export interface ClusterGroupOptions extends GroupOptions {
  engine: Engine;
  /** For devices and products. */
  readPool: Pool;
  places: FieldPlaces;
}

/** Values of devices as columns of the same length. */
interface ValueColumns {
  readonly devices: string[];
  readonly ts: number[];
  readonly v: number[];
}

/**
 * Creates the read of group series from a cluster. PostgreSQL reduces the values that the cluster returns, so that both
 * stores have one definition.
 */
export const createClusterGroupSeries =
  (options: ClusterGroupOptions): RecordIndex['groupSeries'] =>
  async (call) => {
    const { engine, clock } = options;
    const plan = planGroup(call, clock() / 1000);
    if (call.groups.length === 0) return [];
    await engine.fresh(call.organizationId, call.signal);
    const columns = await readColumns(options, call, plan);
    const valuesOf = (from: Sql, to: Sql) => sql`
      value as materialized (select * from ${asTable(columns)} where ts >= ${from} and ts < ${to})`;
    const latestBefore = (from: Sql) => sql`
      latest as materialized (
        select distinct on (device_id) device_id, ts, seq, v from ${asTable(columns)} where ts < ${from} order by device_id, ts desc, seq desc)`;
    return readInSnapshot(options, call, async (reader) => {
      const facts = await readFacts(reader.rows, call);
      return readLines(reader, { call, plan, valuesOf, latestBefore, facts, hasSums: false, valuesFrom: plan.since });
    });
  };

const asTable = ({ devices, ts, v }: ValueColumns): Sql => sql`(
  select device_id, to_timestamp(ts) as ts, seq, v
    from unnest(${devices}::uuid[], ${ts}::float8[], ${v}::float8[]) with ordinality u (device_id, ts, v, seq)) u`;

const isIncrease = ({ perDevice }: GroupCall): boolean =>
  perDevice === DeviceReduction.increase || perDevice === DeviceReduction.rate;

const readColumns = async (
  { engine, readPool: pool, places, timeoutMs }: ClusterGroupOptions,
  call: GroupCall,
  { since, to }: GroupPlan,
): Promise<ValueColumns> => {
  const { organizationId, variable, signal, perDevice, state } = call;
  const isState = perDevice === DeviceReduction.timeInState;
  const { rows } = await pool.query<{ id: string }>(
    sql`select distinct d.id from ${call.members.from} limit ${maxDevices + 1}`,
  );
  if (rows.length > maxDevices)
    throw invalid([{ path: 'over', message: `has more than ${maxDevices} devices, which a cluster cannot answer` }]);
  const wanted = { organizationId, deviceIds: rows.map(({ id }) => id), variables: [variable] };
  const declared = (await pool.query(declaredPairs(wanted))).rows;
  const placed = (await places.of([organizationId])).get(organizationId)!;
  const { undeclared, ...numbers } = pairsToRead(wanted, declared);
  const read = { declared: isState ? declared : numbers.declared, undeclared, texts: isState };
  const pairs = await sourcesOf({ pool, places: placed, organizationId, ...read });
  const range = { from: isState ? since - call.maxAge : since, to };
  const asked = {
    organizationId,
    from: isIncrease(call) ? 0 : range.from,
    to,
    signal,
    deadline: performance.now() + timeoutMs,
  };
  const columns: ValueColumns = { devices: [], ts: [], v: [] };
  try {
    for (const pair of pairs) {
      if (pair.sources.length === 0) continue;
      const booleans = new Set(pair.sources.flatMap(({ field, kind }) => (kind === 'b' ? [field] : [])));
      const push = (ts: number, value: unknown, field: string) => {
        const text = booleans.has(field) ? String(Number(value) !== 0) : String(value);
        columns.devices.push(pair.deviceId);
        columns.ts.push(ts);
        columns.v.push(isState ? Number(text === state) : Number(value));
        requireFewValues(columns.v.length);
      };
      if (isIncrease(call)) await readNewest(engine, asked, pair, range.from, push);
      await readValues(engine, asked, pair, range, push);
    }
  } catch (error) {
    throw error instanceof TimedOut ? seriesTooLong(timeoutMs) : error;
  }
  return columns;
};
