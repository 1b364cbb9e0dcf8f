import { parseArgs } from 'node:util';
import { type Screen, screens } from './graph-screens.js';
import { type Call, compare } from './load.js';
import { installPeers } from './peers/install.js';
import { startRival } from './rival.js';
import { openStage, type Stage } from './stage.js';

const usage = 'npm run bench -- graph [nested|dashboard|device ...] [--seconds 1.5]';

/**
 * Compares the documents of real screens: our GraphQL with authentication, permissions and limits, against a
 * handwritten server, PostGraphile and Mercurius on the same tables, which have none of these.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '1.5' } },
  });
  const names = positionals.length === 0 ? Object.keys(screens) : positionals;
  const folder = await installPeers();
  const stage = await openStage();
  const rivals = await Promise.all(
    ['hand', 'postgraphile', 'mercurius'].map((name) => startRival(`peers/${name}`, stage.connectionString, folder)),
  );
  try {
    const [hand, postgraphile, mercurius] = rivals.map(({ origin }) => origin) as [string, string, string];
    const ids = await fill(stage);
    for (const name of names) {
      const screen = screens[name];
      if (screen === undefined) throw new Error(usage);
      const graph = callOf(stage, ids);
      const byHand: Call = { method: 'GET', path: () => `/${name}/${stage.organizationId}/${some(ids)}` };
      const sides = [
        { name: 'by hand, node:http + pg', origin: hand, call: byHand },
        { name: 'PostGraphile 5', origin: postgraphile, call: graph(screen.postgraphile) },
        { name: 'Mercurius with JIT', origin: mercurius, call: graph(screen.mercurius) },
        { name: 'ours', origin: new URL(stage.base).origin, call: graph(screen.ours) },
      ];
      await compare(screen.title, sides, stage.token, Number(values.seconds));
    }
  } finally {
    for (const rival of rivals) rival.close();
    await stage.close();
  }
}

const some = (ids: readonly string[]): string => ids[Math.floor(Math.random() * ids.length)]!;

const callOf =
  ({ organizationId }: Stage, ids: readonly string[]) =>
  (query: Screen['ours']): Call => ({
    method: 'POST',
    path: () => '/graphql',
    body: () => JSON.stringify({ query, variables: { organizationId, deviceId: some(ids) } }),
  });

/**
 * Creates 1,000 devices of 50 products, each in two of 20 applications, and 10 teams of five members. Returns the
 * devices' identifiers.
 */
async function fill({ pool, organizationId }: Stage): Promise<string[]> {
  const make = (text: string) => pool.query<{ id: string }>(text, [organizationId]);
  await make(`insert into product select gen_random_uuid(), $1, 'Product ' || n, 'product-' || n, '1', false,
    '[{"name": "temperature", "type": "FLOAT32"}]', now(), now() from generate_series(1, 50) n`);
  await make(`insert into application (id, organization_id, name, slug, created_at, updated_at)
    select gen_random_uuid(), $1, 'Application ' || n, 'application-' || n, now(), now() from generate_series(1, 20) n`);
  const { rows } =
    await make(`with p as (select id, row_number() over () - 1 as n from product where organization_id = $1)
    insert into device (id, organization_id, serial, name, slug, tags, product_id, created_at, updated_at)
    select gen_random_uuid(), $1, lpad(to_hex(i), 8, '0'), 'Device ' || i, 'device-' || i, '{north,roof}', p.id, now(), now()
      from generate_series(1, 1000) i join p on p.n = i % 50 returning id`);
  await make(`with a as (select id, row_number() over () - 1 as n from application where organization_id = $1),
      d as (select id, row_number() over () as n from device where organization_id = $1)
    insert into application_device (organization_id, application_id, device_id)
    select $1, a.id, d.id from d join a on a.n in (d.n % 20, d.n * 7 % 20 + (d.n * 7 % 20 = d.n % 20)::int)`);
  await make(`with t as (insert into team select gen_random_uuid(), $1, 'Team ' || n, 'team-' || n, null, now(), now()
        from generate_series(1, 10) n returning id),
      u as (insert into account (id, type, username, email, created_at, updated_at)
        select gen_random_uuid(), 'user', 'user' || n, n || '@example.com', now(), now() from generate_series(1, 50) n returning id),
      m as (insert into membership (organization_id, user_id, role, created_at) select $1, id, 'member', now() from u)
    select from t, u`);
  await make(`with t as (select id, row_number() over () - 1 as n from team where organization_id = $1),
      m as (select user_id, row_number() over () as n from membership where organization_id = $1)
    insert into team_member (organization_id, team_id, user_id) select $1, t.id, m.user_id from m join t on t.n = m.n % 10`);
  await pool.query('vacuum analyze');
  return rows.map(({ id }) => id);
}
