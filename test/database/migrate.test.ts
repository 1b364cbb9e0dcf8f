import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { appliedMigrations, migrate } from '#database/migrate.js';
import { ormOptions } from '../../mikro-orm.config.js';
import { createDatabase } from '../support/server.js';

describe('migration', () => {
  let orms: MikroORM[];

  beforeAll(async () => {
    const url = await createDatabase({ template: false });
    orms = await Promise.all([1, 2].map(() => MikroORM.init(ormOptions(url))));
  });

  afterAll(() => Promise.all(orms.map((orm) => orm.close())));

  it('runs once when two processes start together', async () => {
    const [first, second] = orms as [MikroORM, MikroORM];
    expect(await appliedMigrations(first)).toEqual([]);
    const applied = await Promise.all([migrate(first), migrate(second)]);
    expect(applied.map((names) => names.length > 0).sort()).toEqual([false, true]);
    expect(await first.migrator.getPending()).toEqual([]);
    expect(await migrate(second)).toEqual([]);
  });
});
