import type { Pool } from 'pg';
import sql, { empty, type Sql } from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';

/** Devices that send at the same pace. */
export interface PacedFleet {
  readonly name: string;
  readonly devices: number;
  /** Minutes between two records of a device. */
  readonly minutes: number;
  /** Whether records carry gateways, a frame and its counter. */
  readonly radio: boolean;
}

/** The fleets that show what a record costs at different paces. */
export const pacedFleets: readonly PacedFleet[] = [
  { name: 'dense', devices: 50, minutes: 1, radio: false },
  { name: 'quarter-hour', devices: 500, minutes: 15, radio: false },
  { name: 'hourly', devices: 1000, minutes: 60, radio: false },
  { name: 'lorawan', devices: 300, minutes: 15, radio: true },
];

/** A product of an organization of its own. */
export interface PacedOwner {
  readonly organizationId: string;
  readonly productId: string;
}

const variables = [
  { name: 'temperature', type: VariableType.FLOAT32 },
  { name: 'humidity', type: VariableType.UINT8 },
  { name: 'pressure', type: VariableType.FLOAT32 },
  { name: 'open', type: VariableType.BOOL },
  { name: 'status', type: VariableType.TXT },
];

/** Creates the organization, the product, its slots and the devices of a fleet, without the API. */
export const createFleet = async (pool: Pool, { name, devices }: PacedFleet): Promise<PacedOwner> => {
  const [organizationId, productId] = [newId(), newId()];
  await pool.query(sql`
    insert into account (id, type, username, email, created_at, updated_at)
    values (${organizationId}, 'organization', ${name}, ${`${name}@example.com`}, now(), now())`);
  await pool.query(sql`
    insert into product (id, organization_id, name, slug, version, variables, created_at, updated_at)
    values (${productId}, ${organizationId}, ${name}, ${name}, '1', ${JSON.stringify(variables)}, now(), now())`);
  await pool.query(sql`
    insert into product_slot (product_id, name, type, kind, slot)
    select ${productId}, v ->> 'name', v ->> 'type', case v ->> 'type' when 'TXT' then 'text' else 'number' end,
      row_number() over (partition by v ->> 'type' = 'TXT' order by place)
    from jsonb_array_elements(${JSON.stringify(variables)}::jsonb) with ordinality v (v, place)`);
  await pool.query(sql`
    insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
    select uuidv7(), ${organizationId}, ${name} || i, ${name} || i, ${productId}, now(), now()
    from generate_series(1, ${devices}::int) i`);
  return { organizationId, productId };
};

const gateways = sql`, 'fCnt', n, 'frequency', 868100000 + n % 8 * 200000, 'gateways', (
  select jsonb_agg(jsonb_build_object('id', 'eui-' || md5(g::text), 'rssi', -60 - (n + g) % 50, 'snr', (n + g) % 20 / 2::float8))
  from generate_series(0, n % 5) g)`;
/**
 * Identifier as the service makes it: arrival within two seconds, a counter in the order of storing, and the bits of one
 * of two processes.
 */
const recordId: Sql = sql`(lpad(to_hex(floor(extract(epoch from ts) * 1000 + random() * 2000)::bigint), 12, '0')
  || '7' || lpad(to_hex(counter / 1048576), 3, '0') || to_hex(8388608 + counter % 1048576 * 4 + 1)
  || case when counter / 50 % 2 = 0 then '0123456789' else '9876543210' end)::uuid`;

const frame: Sql = sql`jsonb_build_object('port', 1, 'payload', substr(md5(n::text), 1, 16))`;

/** Stores the records that a fleet sends in an hour, and notes the hour as the service does. Returns their number. */
export const storeHour = async (
  pool: Pool,
  { minutes, radio }: PacedFleet,
  { organizationId, productId }: PacedOwner,
  hour: Date,
): Promise<number> => {
  const { rowCount } = await pool.query(sql`
    insert into record (id, organization_id, device_id, product_id, ts, metadata, data, frame, numbers, texts)
    select ${recordId}, ${organizationId}, id, ${productId}, ts,
      jsonb_build_object('rssi', -60 - n % 50, 'snr', n % 20 / 2::float8, 'provider', 'lora'${radio ? gateways : empty}),
      jsonb_build_object('temperature', temperature, 'humidity', 40 + n % 50, 'pressure', pressure, 'open', n % 2 = 0, 'status', status),
      ${radio ? frame : sql`null::jsonb`}, array[temperature, 40 + n % 50, pressure, n % 2], array[status]
    from (
      select id, ts, n, 50000000 + floor(extract(epoch from ts) * 3)::bigint % 50000000 + row_number() over (order by ts) as counter,
        (1500 + n * 7919 % 1709) / 100::float8 as temperature, (10000 + n * 104729 % 307) / 10::float8 as pressure,
        case when n * 31 % 97 < 14 then 'error' else 'ok' end as status
      from (
        select d.id, ts, place * 37 + floor(extract(epoch from ts) / 60)::bigint / ${minutes}::int as n
        from (select id, row_number() over (order by id) as place from device where product_id = ${productId}) d
        cross join lateral (
          select ${hour}::timestamptz + make_interval(mins => m, secs => d.place * 61 % (60 * ${minutes}::int) + round(random()::numeric, ${radio ? 6 : 3}::int)::float8) as ts
          from generate_series(0, 59, ${minutes}::int) m) t) r) v
    order by ts`);
  await noteHour(pool, { organizationId, productId }, hour);
  return rowCount!;
};

/** Stores one record that comes late, for some hour that has been rolled up. */
export const storeLate = async (pool: Pool, owner: PacedOwner, hour: Date): Promise<void> => {
  const { organizationId, productId } = owner;
  await pool.query(sql`
    insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers, texts)
    select uuidv7(), organization_id, id, product_id, ${hour}::timestamptz + interval '31 seconds', '{}',
      '{"temperature": 20, "status": "ok"}', array[20], array['ok']
    from device where product_id = ${productId} order by id limit 1`);
  await noteHour(pool, { organizationId, productId }, hour);
};

const noteHour = (pool: Pool, { organizationId, productId }: PacedOwner, hour: Date): Promise<unknown> =>
  pool.query(sql`
    insert into record_dirty (organization_id, product_id, hour) values (${organizationId}, ${productId}, ${hour}::timestamptz)`);
