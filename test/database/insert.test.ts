import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { insertEvent } from '#audit/event.js';
import { createGroupCommit } from '#database/group-commit.js';
import { createInsert, type Insert } from '#database/insert.js';
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
let insert: Insert;
let organizationId: string;

beforeAll(async () => {
  orm = await MikroORM.init(ormOptions(database.url));
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  insert = createInsert(
    orm,
    createGroupCommit(async () => orm.em.getConnection().getNativeClient()),
  );
  const account = { username: 'inserts', email: 'inserts@test.example' };
  organizationId = await createAccount(db, AccountType.organization, account, new Date());
});

afterAll(() => Promise.all([orm.close(), db.end()]));

/**
 * Creates everything that is stored with prepared inserts, with values that are easily lost: quotes, backslashes, empty
 * and missing values.
 */
const makers = {
  team: () => own(new Team()).change({ name: `O'Neill \\ "crew" 😀`, description: null }),
  application: () => own(new Application()).change({ name: '{a,"b"}' }),
  product: () =>
    own(new Product()).change({
      name: 'Probe',
      version: '1',
      variables: [{ name: `it's "warm" \\`, type: VariableType.FLOAT32, unit: '' }],
    }),
  device: () =>
    Object.assign(own(new Device()), { serial: newId() }).change({
      name: null,
      tags: ['a,b', '"c"', '\\', '', 'NULL'],
      location: { lat: 1e-9, lon: -180 },
    }),
} as const;

const own = <Thing extends { id: string; organizationId: string }>(thing: Thing): Thing =>
  Object.assign(thing, { id: newId(), organizationId });

const event = (id: string) =>
  insertEvent({
    organizationId,
    actor: { kind: 'operator', name: 'root' },
    action: 'create',
    target: { kind: 'thing', id, name: null },
  });

const storedAs = async (table: string, id: string): Promise<Record<string, unknown>> => {
  const { rows } = await db.query<Record<string, unknown>>(`select * from ${table} where id = $1`, [id]);
  return rows[0]!;
};

describe('prepared insert', () => {
  it.each(Object.entries(makers))('stores a %s with the same columns as MikroORM', async (table, make) => {
    const [mine, other] = [make(), make()];
    await insert(organizationId, mine, event(mine.id));
    await orm.em.fork().persist(other).flush();
    const [stored, expected] = [await storedAs(table, mine.id), await storedAs(table, other.id)];
    for (const name of Object.keys(expected))
      if (!['id', 'serial', 'serial_key', 'slug', 'number', 'created_at', 'updated_at'].includes(name))
        expect({ [name]: stored[name] }).toEqual({ [name]: expected[name] });
    expect(stored['created_at']).toBeInstanceOf(Date);
  });

  it('throws the violated constraint and leaves no event', async () => {
    const team = makers.team();
    await insert(organizationId, team, event(team.id));
    await expect(insert(organizationId, team, event(team.id))).rejects.toMatchObject({ constraint: 'team_pkey' });
    const { rows } = await db.query('select action from audit_event where target_id = $1', [team.id]);
    expect(rows).toEqual([{ action: 'create' }]);
  });

  it('commits concurrent inserts of an organization together', async () => {
    const teams = Array.from({ length: 80 }, makers.team);
    await Promise.all(teams.map((team) => insert(organizationId, team, event(team.id))));
    const { rows } = await db.query(
      'select count(*)::int as stored, count(distinct xmin::text)::int as transactions from team where id = any($1)',
      [teams.map(({ id }) => id)],
    );
    // The first goes alone, eight that wait begin a second transaction, the others go by 32, 32 and 7.
    expect(rows).toEqual([{ stored: 80, transactions: 5 }]);
  });

  it('stores the others when one of several concurrent inserts violates a constraint', async () => {
    const stored = makers.team();
    await insert(organizationId, stored, event(stored.id));
    const teams = Array.from({ length: 80 }, makers.team);
    const wrong = Object.assign(makers.team(), { id: stored.id });
    const outcomes = await Promise.allSettled(
      teams.toSpliced(2, 0, wrong).map((team) => insert(organizationId, team, event(team.id))),
    );
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([2]);
    const ids = teams.map(({ id }) => id);
    const { rows } = await db.query('select target_id as id from audit_event where target_id = any($1)', [ids]);
    expect(rows.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
  });
});
