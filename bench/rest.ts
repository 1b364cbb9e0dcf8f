import { type Call, compare } from './load.js';
import { startRival } from './rival.js';
import { openStage, type Stage } from './stage.js';

const devices = 1000;

/**
 * Compares four requests (GET of a device, a list of ten, creation and change of a team): our service with authentication and
 * permissions, against two bare handlers without either.
 */
export const run = async ([seconds = '1.5']: readonly string[]): Promise<void> => {
  const stage = await openStage();
  const rivals = await Promise.all(
    ['pool', 'pipelined'].map((kind) => startRival('bare', stage.connectionString, kind)),
  );
  try {
    const [bare, pipelined] = rivals.map(({ origin }) => origin) as [string, string];
    const ids = await fill(stage);
    const teams = await fillTeams(stage);
    const { organizationId: org } = stage;
    const some = () => ids[Math.floor(Math.random() * ids.length)]!;
    const team = () => teams[Math.floor(Math.random() * teams.length)]!;
    const body = () => JSON.stringify({ name: 'Field Ops' });
    let changes = 0;
    const change = () => JSON.stringify({ name: `Field Ops ${(changes += 1)}` });
    const { origin, pathname: ours } = new URL(stage.base);
    const works: [title: string, ours: Call, bare: Call][] = [
      ['GET device', get(() => `${ours}/devices/${org}/${some()}`), get(() => `/${org}/${some()}`)],
      ['list of 10 devices', get(() => `${ours}/organizations/${org}/devices`), get(() => `/${org}`)],
      ['create team', post(() => `${ours}/organizations/${org}/teams`, body), post(() => `/${org}`, body)],
      ['change team', put(() => `${ours}/teams/${org}/${team()}`, change), put(() => `/${org}/${team()}`, change)],
    ];
    for (const [title, own, other] of works) {
      const sides = [
        { name: 'bare node:http + pg.Pool(10)', origin: bare, call: other },
        { name: 'bare, one pipelined connection', origin: pipelined, call: other },
        { name: 'ours', origin, call: own },
      ];
      await compare(title, sides, stage.token, Number(seconds));
    }
  } finally {
    for (const rival of rivals) rival.close();
    await stage.close();
  }
};

const get = (path: () => string): Call => ({ method: 'GET', path });
const post = (path: () => string, body: () => string): Call => ({ method: 'POST', path, body });
const put = (path: () => string, body: () => string): Call => ({ method: 'PUT', path, body });

const fill = async ({ pool, organizationId }: Stage): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `with p as (insert into product (id, organization_id, name, slug, version, public, variables, created_at, updated_at)
                values (gen_random_uuid(), $1, 'P', 'p', '1', false, '[]', now(), now()) returning id)
     insert into device (id, organization_id, serial, name, slug, tags, product_id, created_at, updated_at)
     select gen_random_uuid(), $1, lpad(to_hex(n), 8, '0'), 'Device ' || n, 'device-' || n, '{north}', p.id, now(), now()
       from generate_series(1, $2::int) n, p returning id`,
    [organizationId, devices],
  );
  await pool.query('vacuum analyze');
  return rows.map(({ id }) => id);
};

const fillTeams = async ({ pool, organizationId }: Stage): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `insert into team (id, organization_id, name, slug, created_at, updated_at)
     select gen_random_uuid(), $1, 'Team ' || n, 'team-' || n, now(), now() from generate_series(1, $2::int) n returning id`,
    [organizationId, devices],
  );
  return rows.map(({ id }) => id);
};
