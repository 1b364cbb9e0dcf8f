import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** The organization, hook and device of `fillFirstRelease` for which tests write more. */
export const organizationId = '01900000-0000-7000-8000-000000000001';
export const applicationId = '01900000-0000-7000-8000-000000000003';
export const hookId = '01900000-0000-7000-8000-000000000004';
export const deviceId = '01900000-0000-7000-8000-00000000000a';

/** The contents of a database of the first release. Records and deliveries lie in the last three days. */
export interface FirstReleaseSize {
  devices: number;
  records: number;
  deliveries: number;
}

/** Creates the tables of 0.1.0 in an empty database, and fills them. */
export async function makeFirstRelease(client: pg.Client, size: FirstReleaseSize): Promise<void> {
  await client.query(readFileSync(new URL('../../../test/upgrade/schema-0.1.0.sql', import.meta.url), 'utf8'));
  await client.query(`
    create function pg_temp.made_at(i bigint, n bigint) returns timestamptz language sql as
      $$ select now() - interval '3 days' + interval '3 days' * (i - 1) / n $$;
    -- UUID version 7 of a moment.
    create function pg_temp.made_id(i bigint, n bigint) returns uuid language sql as $$
      select (lpad(to_hex((extract(epoch from pg_temp.made_at(i, n)) * 1000)::bigint), 12, '0')
        || '7' || left(md5(i::text), 3) || '8' || substr(md5(i::text), 4, 15))::uuid $$;
    create function pg_temp.device(i bigint, n bigint) returns uuid language sql as
      $$ select ('01900000-0000-7000-8000-' || lpad(to_hex(10 + i % n), 12, '0'))::uuid $$;
  `);
  await client.query(`
    insert into account (id, type, username, email, created_at, updated_at)
      values ('${organizationId}', 'organization', 'first', 'first@example.com', now(), now());
    insert into product (id, organization_id, name, slug, version, variables, created_at, updated_at)
      values ('01900000-0000-7000-8000-000000000002', '${organizationId}', 'Meter', 'meter', '1',
        '[{"name":"level","type":"FLOAT32"}]', now(), now());
    insert into product_slot values ('01900000-0000-7000-8000-000000000002', 'level', 'FLOAT32', 'number', 1);
    insert into application (id, organization_id, name, slug, created_at, updated_at)
      values ('${applicationId}', '${organizationId}', 'All', 'all', now(), now());
    insert into hook (id, organization_id, application_id, url, created_at, updated_at)
      values ('${hookId}', '${organizationId}', '${applicationId}', 'http://127.0.0.1:1/', now(), now());
    insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
      select pg_temp.device(i, ${size.devices}), '${organizationId}', lpad(to_hex(i), 8, '0'), 'device-' || i,
             '01900000-0000-7000-8000-000000000002', now(), now()
        from generate_series(0, ${size.devices - 1}) i;
    insert into application_device (organization_id, application_id, device_id)
      select organization_id, '${applicationId}', id from device;
    insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers)
      select pg_temp.made_id(i, ${size.records}), '${organizationId}', pg_temp.device(i, ${size.devices}),
             '01900000-0000-7000-8000-000000000002', pg_temp.made_at(i, ${size.records}), '{}',
             jsonb_build_object('level', i % 1000), array[i % 1000]
        from generate_series(1, ${size.records}) i;
    insert into record_rollup
      select organization_id, product_id, device_id, slot, date_trunc('hour', ts), count(*), sum(v), min(v), max(v), sum(v * v),
             (array_agg(v order by ts))[1], (array_agg(v order by ts desc))[1], min(ts), max(ts)
        from record, lateral (values (0, null::float8), (1, numbers[1])) v (slot, v)
       where ts < date_trunc('hour', now()) group by 1, 2, 3, 4, 5;
    insert into record_dirty (organization_id, product_id, hour)
      select organization_id, id, date_trunc('hour', now()) from product;
    insert into record_field values ('${organizationId}', 'data.level', '{data,level}', 'number');
    select delivery_partition((now() - interval '1 day' * i)::date) from generate_series(-1, 3) i;
    insert into delivery (id, hook_id, organization_id, application_id, device_id, event, state, done, queued_at, next_attempt_at,
        max_attempts, payload, created_at, updated_at)
      select pg_temp.made_id(i, ${size.deliveries}), '${hookId}', '${organizationId}', '${applicationId}',
             pg_temp.device(i, ${size.devices}), 'record', case when i % 50 = 0 then 'failed' else 'succeeded' end, true,
             at, at, 10, '{}', at, at
        from generate_series(1, ${size.deliveries}) i, pg_temp.made_at(i, ${size.deliveries}) at;
  `);
  await client.query('analyze');
}

/** Stores a delivery as a process of 0.1.0 does. */
export const newDelivery = `
  insert into delivery (id, hook_id, organization_id, application_id, event, state, queued_at, next_attempt_at, max_attempts, payload,
      created_at, updated_at)
    select gen_random_uuid(), '${hookId}', '${organizationId}', '${applicationId}', 'record', 'pending', now(), now(), 10, '{}', now(), now()
  returning id`;

/**
 * Stores, claims and settles a delivery with the statements of 0.1.0, or with those of later versions when it can claim
 * none.
 */
export async function deliver(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string }>(newDelivery);
  const which = [hookId, rows[0]?.id];
  await client
    .query(
      `update delivery set state = 'running', claim_id = gen_random_uuid(), locked_until = now()
        where not done and hook_id = $1 and id = $2`,
      which,
    )
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== undefinedColumn) throw error;
    });
  await client.query(
    `update delivery set state = 'succeeded', done = true where not done and hook_id = $1 and id = $2`,
    which,
  );
}

const undefinedColumn = '42703';

/** Describes the schema of a database independent of its history, without the names of partition indexes. */
export async function describeSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    with relation as (
      select c.oid, c.relkind, c.relispartition, n.nspname || '.' || c.relname as name
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'journal') and c.relname !~ '_[0-9]{8}')
    select format('column %s.%s %s %s %s %s', r.name, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attidentity, pg_get_expr(d.adbin, d.adrelid)) as line
      from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
     where r.relkind in ('r', 'p') and r.name <> 'public.migration'
    union all
    select format('index of %s: %s %s %s', r.name, x.indisprimary, x.indisvalid,
        regexp_replace(pg_get_indexdef(x.indexrelid), 'INDEX \\S+ ON', case when r.relispartition then 'ON' else 'INDEX ' || i.relname || ' ON' end))
      from relation r join pg_index x on x.indrelid = r.oid join pg_class i on i.oid = x.indexrelid
     where r.name <> 'public.migration'
    union all
    select format('constraint %s %s %s %s', r.name, c.conname, c.convalidated, pg_get_constraintdef(c.oid))
      from relation r join pg_constraint c on c.conrelid = r.oid where r.name <> 'public.migration'
    union all
    select format('sequence %s', name) from relation where relkind = 'S'
    union all
    select regexp_replace(pg_get_functiondef(p.oid), '\\s+', ' ', 'g') from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'journal')
    union all
    select format('trigger %s %s', r.name, pg_get_triggerdef(t.oid))
      from relation r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal`);
  return rows.map(({ line }) => line).sort();
}
