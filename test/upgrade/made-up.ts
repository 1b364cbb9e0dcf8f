import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { type MigrationOptions, migrate } from '#database/migrate.js';
import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';
import { lockLimit } from '#database/online-steps.js';
import { ormOptions } from '../../mikro-orm.config.js';

/** Changes tables in use by every step that an online migration has. */
class MadeUp extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.run('create table if not exists color (name text primary key)');
    const done = `select from pg_attribute where attrelid = 'device'::regclass and attname = 'color' and attnotnull`;
    if (!(await steps.finds(done))) {
      await steps.locked(
        'device',
        `alter table device add column if not exists color text;
         alter table device alter column color set default 'grey', drop constraint if exists device_colored,
           add constraint device_colored check (color is not null) not valid`,
      );
      await steps.rows('device', `set color = 'grey'`, 'color is null');
      await steps.validate('device', 'device_colored');
      await steps.locked(
        'device',
        'alter table device alter column color set not null, drop constraint device_colored',
      );
    }
    await steps.index({ name: 'device_number', table: 'device', definition: '(number, id)', unique: true });
    await steps.index({ name: 'delivery_application', table: 'delivery', definition: '(application_id, id, ts)' });
    await steps.primaryKey('delivery', '(hook_id, id, done) include (state, event)');
  }
}

/** Name of the made-up migration in the database. */
export const madeUpName = '20991231-01-made-up';

/** Applies the made-up migration to a database, in the way in which the service applies its own. */
export async function migrateMadeUp(connectionString: string, options: MigrationOptions): Promise<string[]> {
  const { migrations, ...rest } = ormOptions(connectionString, `-c lock_timeout=${lockLimit}`);
  const migrationsList = [{ name: madeUpName, class: MadeUp }];
  const orm = await MikroORM.init({ ...rest, migrations: { ...migrations!, migrationsList } });
  try {
    return await migrate(orm, options);
  } finally {
    await orm.close();
  }
}

/** The organization, application and hook that `fillTables` creates. */
const organizationId = '01900000-0000-7000-8000-000000000001';
const applicationId = '01900000-0000-7000-8000-000000000003';
const hookId = '01900000-0000-7000-8000-000000000004';

/** Number of rows of the tables in use. Records and deliveries lie in the three days before now. */
export interface Size {
  devices: number;
  records: number;
  deliveries: number;
}

/** Fills an empty database. */
export async function fillTables(client: pg.Client, size: Size): Promise<void> {
  await client.query(`
    create function pg_temp.made_at(i bigint, n bigint) returns timestamptz language sql as
      $$ select now() - interval '3 days' + interval '3 days' * (i - 1) / n $$;
    -- Returns a UUID version 7 of a time.
    create function pg_temp.made_id(i bigint, n bigint) returns uuid language sql as $$
      select (lpad(to_hex((extract(epoch from pg_temp.made_at(i, n)) * 1000)::bigint), 12, '0')
        || '7' || left(md5(i::text), 3) || '8' || substr(md5(i::text), 4, 15))::uuid $$;
    create function pg_temp.device(i bigint, n bigint) returns uuid language sql as
      $$ select ('01900000-0000-7000-8000-' || lpad(to_hex(10 + i % n), 12, '0'))::uuid $$;
  `);
  await client.query(`
    insert into account (id, type, username, email, created_at, updated_at)
      values ('${organizationId}', 'organization', 'first', 'first@example.com', now(), now());
    insert into application (id, organization_id, name, slug, created_at, updated_at)
      values ('${applicationId}', '${organizationId}', 'All', 'all', now(), now());
    insert into hook (id, organization_id, application_id, url, created_at, updated_at)
      values ('${hookId}', '${organizationId}', '${applicationId}', 'http://127.0.0.1:1/', now(), now());
    insert into device (id, organization_id, serial, slug, created_at, updated_at)
      select pg_temp.device(i, ${size.devices}), '${organizationId}', lpad(to_hex(i), 8, '0'), 'device-' || i, now(), now()
        from generate_series(0, ${size.devices - 1}) i;
    insert into record (id, organization_id, device_id, ts, metadata, data)
      select pg_temp.made_id(i, ${size.records}), '${organizationId}', pg_temp.device(i, ${size.devices}),
             pg_temp.made_at(i, ${size.records}), '{}', jsonb_build_object('level', i % 1000)
        from generate_series(1, ${size.records}) i;
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

/** Stores a delivery, as a process of the release before does. */
export const newDelivery = `
  insert into delivery (id, hook_id, organization_id, application_id, event, state, queued_at, next_attempt_at, max_attempts, payload,
      created_at, updated_at)
    select gen_random_uuid(), '${hookId}', '${organizationId}', '${applicationId}', 'record', 'pending', now(), now(), 10, '{}', now(), now()
  returning id`;

/** Stores, claims and settles a delivery. */
export async function deliver(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string }>(newDelivery);
  const which = [hookId, rows[0]?.id];
  await client.query('insert into delivery_lease values ($1, $2, gen_random_uuid(), now())', which);
  await client.query(
    `with lease as (delete from delivery_lease where hook_id = $1 and id = $2)
     update delivery set state = 'succeeded', done = true where not done and hook_id = $1 and id = $2`,
    which,
  );
}
