import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { insertEvent } from '#audit/event.js';
import { createGroupCommit } from '#database/group-commit.js';
import { createUpdate, type Update } from '#database/update.js';
import { Application } from '#entities/application.js';
import { Device } from '#entities/device.js';
import { AccountType, VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { Product } from '#entities/product.js';
import { Team } from '#entities/team.js';
import { createAccount } from '#operator/account.js';
import { ormOptions } from '../../mikro-orm.config.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let orm: MikroORM;
let db: pg.Client;
let update: Update;
let organizationId: string;

beforeAll(async () => {
  orm = await MikroORM.init(ormOptions(database.url));
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  update = createUpdate(
    orm,
    createGroupCommit(async () => orm.em.getConnection().getNativeClient()),
  );
  const account = { username: 'updates', email: 'updates@test.example' };
  organizationId = await createAccount(db, AccountType.organization, account, new Date());
});

afterAll(() => Promise.all([orm.close(), db.end()]));

const own = <Thing extends { id: string; organizationId: string }>(thing: Thing): Thing =>
  Object.assign(thing, { id: newId(), organizationId });

/** Things before a change, and changes with values that are easily lost: quotes, backslashes, empty values and null. */
const kinds: Readonly<Record<string, [make: () => Thing, change: (thing: never) => unknown]>> = {
  team: [
    () => own(new Team()).change({ name: 'Crew', description: 'of the north' }),
    (team: Team) => team.change({ name: `O'Neill \\ "crew" 😀`, description: null }),
  ],
  application: [
    () => own(new Application()).change({ name: 'Before' }),
    (application: Application) => application.change({ name: '{a,"b"}', description: '' }),
  ],
  product: [
    () => own(new Product()).change({ name: 'Probe', version: '1', variables: [] }),
    (product: Product) =>
      product.change({
        name: 'Probe',
        version: '2',
        variables: [{ name: `it's "warm" \\`, type: VariableType.FLOAT32, unit: '' }],
      }),
  ],
  device: [
    () => Object.assign(own(new Device()), { serial: newId() }).change({ name: 'Before', tags: ['x'] }),
    (device: Device) =>
      device.change({ name: null, tags: ['a,b', '"c"', '\\', '', 'NULL'], location: { lat: 1e-9, lon: -180 } }),
  ],
};

type Thing = { id: string; organizationId: string; updatedAt: string };

const event = (id: string) =>
  insertEvent({
    organizationId,
    actor: { kind: 'operator', name: 'root' },
    action: 'update',
    target: { kind: 'thing', id, name: null },
  });

const stored = async (thing: Thing, em: EntityManager): Promise<Thing> => {
  await orm.em.fork().persist(Object.assign(thing)).flush();
  return em.findOneOrFail(thing.constructor as never, { id: thing.id } as never);
};

const changeOf = (em: EntityManager, thing: object) => {
  const work = em.getUnitOfWork();
  work.computeChangeSet(thing);
  return work.getChangeSets().find(({ entity }) => entity === thing)!;
};

const rowOf = async (table: string, id: string): Promise<Record<string, unknown>> => {
  const { rows } = await db.query<Record<string, unknown>>(`select * from ${table} where id = $1`, [id]);
  return rows[0]!;
};

const eventsOf = async (id: string): Promise<number> =>
  (await db.query('select from audit_event where target_id = $1', [id])).rowCount!;

describe('prepared update', () => {
  it.each(Object.entries(kinds))(
    'stores a changed %s with the same columns as MikroORM',
    async (table, [make, change]) => {
      const em = orm.em.fork();
      const [mine, other] = [await stored(make(), em), await stored(make(), em)];
      change(mine as never);
      change(other as never);
      const before = mine.updatedAt;
      await expect(update(organizationId, changeOf(em, mine), event(mine.id))).resolves.toBe(true);
      await em.flush();
      const [row, expected] = [await rowOf(table, mine.id), await rowOf(table, other.id)];
      for (const name of Object.keys(expected))
        if (!['id', 'serial', 'serial_key', 'slug', 'number', 'created_at', 'updated_at'].includes(name))
          expect({ [name]: row[name] }).toEqual({ [name]: expected[name] });
      expect((row['updated_at'] as Date).toISOString()).toBe(mine.updatedAt);
      expect(mine.updatedAt > before).toBe(true);
      expect(await eventsOf(mine.id)).toBe(1);
    },
  );

  it('stores neither change nor event when the row has changed since it was read', async () => {
    const [first, second] = [orm.em.fork(), orm.em.fork()];
    const team = await stored(own(new Team()).change({ name: 'Read twice' }), first);
    const again = await second.findOneOrFail(Team, { id: team.id });
    (team as Team).change({ name: 'First' });
    again.change({ name: 'Second' });
    await expect(update(organizationId, changeOf(first, team), event(team.id))).resolves.toBe(true);
    await expect(update(organizationId, changeOf(second, again), event(team.id))).resolves.toBe(false);
    expect((await rowOf('team', team.id))['name']).toBe('First');
    expect(await eventsOf(team.id)).toBe(1);
  });

  it('throws the violated constraint and leaves no event', async () => {
    const em = orm.em.fork();
    const device = await stored(Object.assign(own(new Device()), { serial: newId() }).change({}), em);
    (device as Device).change({ product: { id: newId(), organizationId } });
    await expect(update(organizationId, changeOf(em, device), event(device.id))).rejects.toMatchObject({
      constraint: 'device_product_id_fkey',
    });
    expect(await eventsOf(device.id)).toBe(0);
  });

  it('commits concurrent changes of an organization together, and those of one row one after the other', async () => {
    const teams = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const em = orm.em.fork();
        return { em, team: await stored(own(new Team()).change({ name: 'Before' }), em) };
      }),
    );
    const again = orm.em.fork();
    const twice = await again.findOneOrFail(Team, { id: teams[5]!.team.id });
    const outcomes = await Promise.all(
      [...teams, { em: again, team: twice }].map(({ em, team }) => {
        (team as Team).change({ name: 'After' });
        return update(organizationId, changeOf(em, team), event(team.id));
      }),
    );
    // The second change of the same row is refused.
    expect(outcomes.filter((isStored) => !isStored)).toHaveLength(1);
    const { rows } = await db.query(
      `select count(distinct xmin::text)::int as transactions, count(*) filter (where name = 'After')::int as changed from team where id = any($1)`,
      [teams.map(({ team }) => team.id)],
    );
    expect(rows).toEqual([{ transactions: 3, changed: 40 }]);
  });
});
