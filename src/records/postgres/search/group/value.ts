import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { VariableFact, VariableFacts } from './fact.js';
import { leadTable, notSummed, rowSpans } from './run-sum.js';
import type { SumDays } from './sum-day.js';

/** Values of the devices of a statement, in a span of time. */
export interface WantedValues {
  organizationId: string;
  variable: string;
  facts: VariableFacts;
  /** If given, a value is 1 in this state and 0 in another. */
  state?: string | undefined;
  /** Whether some days of the time span are in blocks alone. */
  isAlone: boolean;
  /** Expressions; the end is exclusive. */
  from: Sql;
  to: Sql;
  /** Sums that replace values of numbers. */
  sums?: ReplacingSums | undefined;
}

/** Sums that replace values of numbers. */
export interface ReplacingSums extends Pick<SumDays, 'spans'> {
  /**
   * Common table expressions `summed` (the days with sums), `plain` and `plain_number` (the devices with sums), `fallen` and
   * `missing` (where these have none).
   */
  readonly tables: Sql;
}

/** A kind of values: which devices have it, and how rows and blocks hold it. */
interface Source {
  /** Whether sums replace some of its values. */
  readonly isSummed: boolean;
  /** Condition on a device `d`. */
  readonly of: Sql;
  /** Columns of `record` that it needs. */
  readonly columns: Sql;
  /** The value of a row `r`; null for none. */
  readonly ofRow: Sql;
  /** Condition on a span `b` of a block that may have values. */
  readonly ofSpan: Sql;
  /** Array of the values of a span `b` of a block, in the order of its records. */
  readonly ofBlock: Sql;
  /** The value of an element `m.value` of that array; null for none. */
  readonly ofElement: Sql;
}

/**
 * Common table expressions that read the values of `device`, as `value`: `device_id`, `ts`, `seq` and `v`. The variable
 * has the type that the device's product declares; if it declares none, numbers are read as received, booleans as 1 and 0.
 */
export const valueTables = (wanted: WantedValues): Sql => {
  const sources = sourcesOf(wanted);
  const parts = sources.flatMap((source) => [
    ofRows(source, wanted),
    ...(hasSpans(wanted) ? [ofBlocks(source, wanted)] : []),
  ]);
  const none = sql`select null::uuid, null::timestamptz, null::int8, null::float8 where false`;
  return sql`${wanted.sums ? sql`${wanted.sums.tables},` : empty}${hasSpans(wanted) ? sql`${spanTables(wanted)},` : empty}
  value (device_id, ts, seq, v) as materialized (${join(parts.length === 0 ? [none] : parts, ' union all ')})`;
};

/** Whether some values are read from blocks. */
const hasSpans = ({ isAlone, sums }: WantedValues): boolean => isAlone || sums !== undefined;

/**
 * Common table expression `latest`: the last value before a time of each device of `value`. A device whose product is new
 * to the variable has none, and the index is read to its end.
 */
export const latestTable = (wanted: WantedValues): Sql => {
  const { sums, from, to } = wanted;
  const unknown = sql`
    select device_id from value where ts >= ${from}${
      sums
        ? sql` union select device_id from run_sum where ts >= ${from} and ts < ${to} except select device_id from lead`
        : empty
    }`;
  if (!sums) return latestOf(wanted, unknown, sql`latest`);
  return sql`${leadTable(from)},
  ${latestOf(wanted, unknown, sql`latest_record`)},
  latest as (select * from latest_record union all select * from lead)`;
};

/**
 * Common table expression of the last value before a time of some devices: `device_id`, `ts`, `seq`, `v`.
 * @param unknown selects the devices
 */
export const latestOf = (wanted: WantedValues, unknown: Sql, name: Sql): Sql => {
  const parts = sourcesOf(wanted).flatMap((source) => [
    latestRows(source, wanted.from),
    ...(wanted.isAlone ? [latestInBlocks(source, wanted.from)] : []),
  ]);
  return sql`
  unknown as materialized (${unknown}),
  ${name} as materialized (
    select distinct on (x.device_id) x.device_id, x.ts, x.seq, x.v from (${join(parts, ' union all ')}) x
     order by x.device_id, x.ts desc, x.seq desc)`;
};

const latestRows = ({ of, columns, ofRow }: Source, before: Sql): Sql => sql`
    select d.device_id, l.ts, l.seq, l.v
      from device_of_group d cross join lateral (
        select r.ts, r.seq, ${ofRow} as v
          from (select ts, seq, ${columns} from record r where r.device_id = d.device_id and r.ts < ${before}) r
         where ${ofRow} is not null order by r.ts desc, r.seq desc limit 1) l
     where ${of} and d.device_id in (select device_id from unknown)`;

const latestInBlocks = ({ of, ofSpan, ofBlock, ofElement }: Source, before: Sql): Sql => sql`
    select d.device_id, l.ts, l.seq, l.v
      from device_of_group d cross join lateral (
        select x.ts, x.seq, x.v
          from (select * from record_block_device_runs(d.device_id, '-infinity', ${before}) b where ${ofSpan} order by b.day desc offset 0) b
          cross join lateral (
            select m.ts, m.seq, ${ofElement} as v
              from rows from (record_block_moments(b.block, b.first_place, b.last_place, false), unnest(${ofBlock}))
                m (place, device, ts, seq, id, value)) x
         where x.v is not null and x.ts < ${before} order by b.day desc, x.ts desc, x.seq desc limit 1) l
     where ${of} and d.device_id in (select device_id from unknown)`;

const products = (facts: readonly VariableFact[]): Sql => sql`${facts.map(({ productId }) => productId)}::uuid[]`;

/** Slot of the variable in the arrays of a product's records. */
const slotOf = (facts: readonly VariableFact[], product: Sql): Sql =>
  sql`(${facts.map(({ slot }) => slot)}::int[])[array_position(${products(facts)}, ${product})]`;

const sourcesOf = ({ facts, variable, state, sums }: WantedValues): Source[] => {
  const { numeric, textual } = facts;
  const sources: Source[] = [];
  if (numeric.length > 0) {
    const slot = slotOf(numeric, sql`b.product_id`);
    const asAsked = (value: Sql) => (state === undefined ? value : isState(value, numberOfState(state)));
    sources.push({
      isSummed: sums !== undefined,
      of: sql`d.product_id = any(${products(numeric)})`,
      columns: sql`product_id, numbers`,
      ofSpan: sql`b.product_id = any(${products(numeric)})`,
      ofRow: asAsked(sql`r.numbers[${slotOf(numeric, sql`r.product_id`)}]`),
      ofBlock: sql`record_block_numbers(b.block, ${slot}, b.first_place, b.last_place)`,
      ofElement: asAsked(sql`m.value`),
    });
  }
  if (textual.length > 0 && state !== undefined) {
    const slot = slotOf(textual, sql`b.product_id`);
    sources.push({
      isSummed: false,
      of: sql`d.product_id = any(${products(textual)})`,
      columns: sql`product_id, texts`,
      ofSpan: sql`b.product_id = any(${products(textual)})`,
      ofRow: isState(sql`r.texts[${slotOf(textual, sql`r.product_id`)}]`, state),
      ofBlock: sql`record_block_texts(b.block, -${slot}, b.first_place, b.last_place)`,
      ofElement: isState(sql`m.value`, state),
    });
  }
  sources.push({
    isSummed: false,
    of: sql`coalesce(d.product_id <> all(${products([...numeric, ...textual])}), true)`,
    columns: sql`data -> ${variable}::text as value`,
    ofSpan: sql`true`,
    ofRow: asReceived(sql`r.value`, state),
    ofBlock: sql`record_block_json(b.block, 'data', array[${variable}::text], b.first_place, b.last_place)`,
    ofElement: asReceived(sql`(m.value -> ${variable}::text)`, state),
  });
  return sources;
};

const isState = (value: Sql, state: string | number | null): Sql => {
  if (typeof state === 'string') return sql`(${value} = ${state}::text)::int::float8`;
  return sql`case when ${value} is not null then coalesce(${value} = ${state}::float8, false)::int::float8 end`;
};

/** Returns the number that stands for a state; null if no number does. */
const numberOfState = (state: string): number | null => {
  if (state === 'true' || state === 'false') return Number(state === 'true');
  const number = Number(state);
  return state.trim() !== '' && Number.isFinite(number) ? number : null;
};

const asReceived = (value: Sql, state: string | undefined): Sql =>
  state === undefined
    ? sql`case jsonb_typeof(${value}) when 'number' then (${value})::float8 when 'boolean' then (${value})::boolean::int::float8 end`
    : sql`case when jsonb_typeof(${value}) in ('number', 'boolean', 'string') then ((${value}) #>> '{}' = ${state}::text)::int::float8 end`;

/* PostgreSQL cannot estimate how many records a device has, so `offset 0` makes it read each device by the index. */
const ofRows = ({ isSummed, of, columns, ofRow }: Source, { from, to, sums }: WantedValues): Sql => {
  const [low, high] = isSummed ? [sql`h.low`, sql`h.high`] : [from, to];
  return sql`
    select x.device_id, x.ts, x.seq, x.v from (
      select d.device_id, r.ts, r.seq, ${ofRow} as v
        from device_of_group d${isSummed ? rowSpans(sums!, from, to) : empty} cross join lateral (
          select ts, seq, ${columns} from record r where r.device_id = d.device_id and r.ts >= ${low} and r.ts < ${high} offset 0) r
       where ${of}${isSummed ? sql` and ${notSummed}` : empty}) x
     where x.v is not null`;
};

/**
 * Spans of blocks with records of the devices: whole blocks, or runs of devices if these have few of the records,
 * because each read decompresses the arrays of its block.
 */
const spanTables = ({ organizationId, from, to, sums }: WantedValues): Sql => sql`
  number as materialized (
    select b.device, d.device_id, d.product_id from device_of_group d join record_block_device b on b.device_id = d.device_id),
  run as materialized (
    select b.block, u.device, b.n, b.product_id, u.first_place, u.last_place, sum(u.last_place - u.first_place + 1) over (partition by b.block) as wanted
      from (
        select b.*, s.product_id, ${sums ? sql`y.source is not null` : sql`false`} as is_summed, a.alone${sums ? sql`, b.block in (select block from missing) as is_missing` : sql`, false as is_missing`}
          from record_block_source s join record_blocked a on a.source = s.source
          join record_block b on b.source = a.source and b.day = a.day${sums ? sql` left join summed y on y.source = a.source and y.date = a.day` : empty}
         where s.organization_id = ${organizationId}::uuid
           and a.day between (${from} at time zone 'UTC')::date and (${to} at time zone 'UTC')::date
           and ${sums ? unsummedBlock : sql`a.alone`} offset 0) b
      cross join lateral (
        select device, (sum(count) over (order by nth) - count)::int + 1 as first_place, (sum(count) over (order by nth))::int as last_place
          from unnest(b.devices, b.counts) with ordinality u (device, count, nth)) u
     where ${sums ? unsummedRun : sql`u.device in (select device from number)`}),
  block_span as materialized (
    select block, product_id, first_place, last_place from run where wanted * 8 < n
    union all
    select distinct block, product_id, 1, n from run where wanted * 8 >= n),
  block_bounds as materialized (select ${from} as low, ${to} as high)`;

/** Condition that some records of a block `b` may have to be read: most blocks have sums of all that is wanted. */
const unsummedBlock = sql`case
             when y.source is null then a.alone
             else b.block in (select block from missing) or b.block in (select block from fallen)
               or a.alone and exists (select from number where device not in (select device from plain_number)) end`;

/** Condition that the records of a run `u` of a block `b` are read one by one. */
const unsummedRun = sql`
  u.device in (select device from number) and case
    when not b.is_summed then b.alone
    when u.device in (select device from plain_number) then b.is_missing or (b.block, u.device) in (select block, device from fallen)
    else b.alone end`;

const ofBlocks = ({ of, ofSpan, ofBlock, ofElement }: Source, { sums }: WantedValues): Sql => sql`
    select x.device_id, x.ts, x.seq, x.v from (
      select d.device_id, m.ts, m.seq, ${ofElement} as v
        from block_bounds, block_span b
        cross join lateral rows from (
          record_block_moments(b.block, b.first_place, b.last_place, false), unnest(${ofBlock})) m (place, device, ts, seq, id, value)
        join number d on d.device = m.device
       where ${ofSpan} and m.ts >= low and m.ts < high and ${of}${sums ? sql` and (b.block, m.device) in (select block, device from run)` : empty}) x
     where x.v is not null`;
