import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { newId } from '#entities/id.js';
import { itIf } from '../support/conditional.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const withOwnServer = itIf(
  process.env['DATABASE_URL'] === undefined,
  'the log of the server of DATABASE_URL cannot be read',
);

describe('repeated record key', () => {
  withOwnServer("counts as a duplicate, and writes nothing about it to PostgreSQL's log", async () => {
    const owner = await world.organization();
    const serial = '00-de-70-00-00-00-00-88';
    await owner.make(`/organizations/${owner.id}/devices/${serial}`);
    const key = newId();
    const post = () => owner.post(`/organizations/${owner.id}/records`, { serial, key, data: { a: 1 } });
    expect((await post()).body).toMatchObject({ accepted: 1 });
    expect((await post()).body).toMatchObject({ duplicates: 1 });
    const { rows } = await world.pool.query<{ data_directory: string }>('show data_directory');
    // PostgreSQL logs this error with the key in its text, which shows that the log is read at the right place.
    await world.pool.query('select $1::uuid + 1', [key]).catch(() => undefined);
    const log = await readFile(join(dirname(rows[0]!.data_directory), 'postgres.log'), 'utf8');
    expect(log).toContain('operator does not exist: uuid + integer');
    expect(log).not.toContain(`(${key})`);
    expect(log.split('\n').filter((line) => line.includes(key))).toEqual([]);
  });
});
