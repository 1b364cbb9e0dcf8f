import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/entities/id.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

/** A server of somebody else's keeps its log where we cannot read it. */
const withOwnServer = process.env['DATABASE_URL'] === undefined ? it : it.skip;

describe('a key that comes again', () => {
  withOwnServer('is a duplicate, and nothing is written about it into the log of PostgreSQL', async () => {
    const owner = await world.organization();
    const serial = '00-de-70-00-00-00-00-88';
    await owner.make(`/organizations/${owner.id}/devices/${serial}`);
    const key = newId();
    const post = () => owner.post(`/organizations/${owner.id}/records`, { serial, key, data: { a: 1 } });
    expect((await post()).body).toMatchObject({ accepted: 1 });
    expect((await post()).body).toMatchObject({ duplicates: 1 });
    const { rows } = await world.pool.query<{ data_directory: string }>('show data_directory');
    // What it logs of an error names the key.
    await world.pool.query('select $1::uuid + 1', [key]).catch(() => undefined);
    const log = await readFile(join(dirname(rows[0]!.data_directory), 'postgres.log'), 'utf8');
    expect(log).toContain('operator does not exist: uuid + integer');
    expect(log).not.toContain(`(${key})`);
    expect(log.split('\n').filter((line) => line.includes(key))).toEqual([]);
  });
});
