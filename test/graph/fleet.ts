import type pg from 'pg';

/**
 * Fills an organization with `count` objects of every kind: each device with a product, in two applications, and so on.
 */
export async function fillOrganization(pool: pg.Pool, organizationId: string, count: number): Promise<void> {
  const run = (text: string) => pool.query(text, [organizationId, count]);
  await run(`
    with u as (
      insert into account (id, type, username, email, created_at, updated_at)
      select gen_random_uuid(), 'user', 'u' || replace(gen_random_uuid()::text, '-', ''), gen_random_uuid() || '@example.com', now(), now()
        from generate_series(1, $2) returning id)
    insert into membership (organization_id, user_id, role, created_at) select $1, id, 'member', now() from u`);
  await run(
    `insert into team select gen_random_uuid(), $1, 'Team ' || n, 'team-' || n, null, now(), now() from generate_series(1, $2) n`,
  );
  await run(`insert into team_member (organization_id, team_id, user_id)
    select $1, t.id, m.user_id from (select id, row_number() over (order by id) n from team where organization_id = $1) t
      join (select user_id, row_number() over (order by user_id) n from membership where organization_id = $1) m using (n)
      where $2 > 0`);
  await run(`insert into product select gen_random_uuid(), $1, 'Product ' || n, 'product-' || n, '1', false,
      '[{"name": "temperature", "type": "FLOAT32"}]', now(), now() from generate_series(1, $2) n`);
  await run(`insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
    select gen_random_uuid(), $1, 'aa-' || n, 'device-' || n, p.id, now(), now()
      from (select id, row_number() over (order by id) n from product where organization_id = $1) p where $2 > 0`);
  await run(`insert into record (id, organization_id, device_id, product_id, ts, metadata, data)
    select gen_random_uuid(), $1, id, product_id, now() - n * interval '1 hour', '{"rssi": -90}', '{"temperature": 21.5, "on": true}'
      from device, generate_series(1, 3) n where organization_id = $1 and $2 > 0`);
  await run(`insert into application (id, organization_id, name, slug, created_at, updated_at)
    select gen_random_uuid(), $1, 'App ' || n, 'app-' || n, now(), now() from generate_series(1, $2) n`);
  await run(`with a as (update application set has_dashboard = true where organization_id = $1 and $2 > 0 returning id)
    insert into dashboard (application_id, organization_id, version, document, updated_at, updated_by)
    select a.id, $1, 1, '{"format": 1, "range": "24h", "variables": [], "panels": []}', now(),
           (select user_id from membership where organization_id = $1 order by user_id limit 1) from a`);
  await run(`insert into application_device (organization_id, application_id, device_id)
    select $1, a.id, d.id from (select id, row_number() over (order by id) n from application where organization_id = $1) a
      join (select id, row_number() over (order by id) n from device where organization_id = $1) d
        on d.n = a.n or d.n = a.n % $2 + 1`);
  await run(`insert into team_application (organization_id, team_id, application_id, permission)
    select $1, t.id, a.id, 'read' from (select id, row_number() over (order by id) n from team where organization_id = $1) t
      join (select id, row_number() over (order by id) n from application where organization_id = $1) a using (n) where $2 > 0`);
  await run(`insert into hook (id, organization_id, application_id, url, created_at, updated_at)
    select gen_random_uuid(), $1, id, 'http://127.0.0.1:9/', now(), now() from application where organization_id = $1 and $2 > 0`);
  await run(`insert into delivery
      (id, hook_id, organization_id, application_id, device_id, event, ts, state, done, queued_at, next_attempt_at, max_attempts, payload, created_at, updated_at)
    select gen_random_uuid(), h.id, $1, h.application_id, l.device_id, 'record', now(), 'failed', true, now(), now(), 10, '{}', now(), now()
      from hook h join application_device l using (application_id) where h.organization_id = $1 and $2 > 0`);
  await run(`insert into alert_rule (id, organization_id, application_id, name, severity, kind, when_condition, disabled, created_at, updated_at)
    select gen_random_uuid(), $1, id, 'Too warm', 'warning', 'threshold', '{"query": {"match_all": {}}}', true, now(), now()
      from application where organization_id = $1 and $2 > 0`);
  await run(`insert into episode
      (id, organization_id, application_id, rule_id, rule_name, severity, device_id, opened_at, opened_by, created_at, updated_at)
    select gen_random_uuid(), $1, r.application_id, r.id, r.name, r.severity, l.device_id, now(),
           json_build_object('recordId', gen_random_uuid(), 'ts', 1700000000, 'values', '{"t": 9}'::json), now(), now()
      from alert_rule r join application_device l using (application_id) where r.organization_id = $1 and $2 > 0`);
  await run(`insert into api_token (id, organization_id, user_id, scope, hash, prefix, created_at)
    select gen_random_uuid(), $1, user_id, 'full', sha256(user_id::text::bytea), 'ddp_', now() from membership where organization_id = $1 and $2 > 0`);
  await run(`insert into api_token (id, organization_id, application_id, name, scope, hash, prefix, created_at)
    select gen_random_uuid(), $1, id, 'Wall', 'read', sha256(id::text::bytea), 'ddplink_', now() from application where organization_id = $1 and $2 > 0`);
}
