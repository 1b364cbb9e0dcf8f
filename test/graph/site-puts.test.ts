import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';
import { newSite, type Outcome, putSites, tree } from './sites.js';

const world = useWorld();
let owner: AccountActor;

beforeEach(async () => {
  owner = await world.organization();
});

/** Returns an item whose key is its name. */
const item = (name: string, parent?: string | null, more: object = {}) => ({
  externalId: name,
  name,
  ...(parent !== undefined && { parent }),
  ...more,
});
const told = (outcomes: Outcome[]) =>
  outcomes.map(({ status, error }) => (error ? [error.code, error.errors[0]?.path] : status));

describe('putSites', () => {
  it('creates a tree in any order, and nothing twice', async () => {
    const sites = [item('room', 'floor'), item('floor', 'building', { kind: 'floor' }), item('building')];
    const first = await putSites(owner, sites);
    expect(told(first)).toEqual(['created', 'created', 'created']);
    expect(await tree(owner)).toEqual(['building', 'building/floor', 'building/floor/room']);
    const second = await putSites(owner, sites);
    expect(told(second)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  });

  it('moves a tree with sites that the call does not name', async () => {
    await putSites(owner, [item('a'), item('b', 'a'), item('c', 'b'), item('d', 'c')]);
    expect(told(await putSites(owner, [item('b', null), item('a')]))).toEqual(['updated', 'unchanged']);
    expect(await tree(owner)).toEqual(['a', 'b', 'b/c', 'b/c/d']);
  });

  it('lets two sites change places', async () => {
    await putSites(owner, [item('a'), item('b', 'a'), item('c', 'b')]);
    expect(told(await putSites(owner, [item('a', 'b'), item('b', null)]))).toEqual(['updated', 'updated']);
    expect(await tree(owner)).toEqual(['b', 'b/a', 'b/c']);
  });

  it('changes nothing in a dry run', async () => {
    expect(told(await putSites(owner, [item('a'), item('b', 'a')], true))).toEqual(['created', 'created']);
    expect(await tree(owner)).toEqual([]);
  });

  it('fails a site whose parent does not exist or is at fault, and stores the others', async () => {
    const outcomes = await putSites(owner, [
      item('a', 'nothing'),
      item('b', 'a'),
      item('c'),
      item('d', null, { timeZone: 'Mars/Olympus' }),
      item('e', 'd'),
      item('f', 'f'),
    ]);
    expect(told(outcomes)).toEqual([
      ['NOT_FOUND', 'parent'],
      ['NOT_FOUND', 'parent'],
      'created',
      ['VALIDATION_FAILED', 'timeZone'],
      ['NOT_FOUND', 'parent'],
      ['VALIDATION_FAILED', 'parent'],
    ]);
    expect(await tree(owner)).toEqual(['c']);
  });

  it('fails each site of a circle, and those at the ninth level', async () => {
    await putSites(owner, [item('a'), item('b', 'a')]);
    expect(told(await putSites(owner, [item('a', 'b'), item('new', 'a')]))).toEqual([
      ['VALIDATION_FAILED', 'parent'],
      'created',
    ]);
    const chain = Array.from({ length: 10 }, (_, n) => item(`l${n}`, n === 0 ? null : `l${n - 1}`));
    const outcomes = told(await putSites(owner, chain));
    expect(outcomes.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'created'));
    expect(outcomes[8]).toEqual(['VALIDATION_FAILED', 'parent']);
    expect((outcomes[9] as string[])[1]).toBe('parent');
    expect(told(await putSites(owner, [item('b', 'l6')]))).toEqual(['updated']);
    expect(told(await putSites(owner, [item('a', 'l6')]))).toEqual([['VALIDATION_FAILED', 'parent']]);
  });

  it('refuses a key that another site has, and a site of another organization', async () => {
    await putSites(owner, [item('a')]);
    const id = await newSite(owner, 'x');
    const foreign = await newSite(await world.organization(), 'y');
    const outcomes = await putSites(owner, [
      item('a', null, { id }),
      item('c', null, { id: foreign }),
      item('b', null, { id }),
    ]);
    expect(told(outcomes)).toEqual([
      ['CONFLICT', 'externalId'],
      ['NOT_FOUND', undefined],
      ['CONFLICT', 'id'],
    ]);
  });

  it('creates no more than 10,000 sites', async () => {
    await world.pool.query(
      `insert into site (id, organization_id, path, name, created_at, updated_at)
       select i, $1, array[i], 'x', now(), now() from (select gen_random_uuid() i from generate_series(1, 9999)) g`,
      [owner.id],
    );
    expect(told(await putSites(owner, [item('a'), item('b'), item('c', 'a')]))).toEqual([
      'created',
      ['CONFLICT', undefined],
      ['CONFLICT', undefined],
    ]);
  });

  it('makes one site of two calls at once', async () => {
    const sites = [item('b', 'a'), item('a')];
    const both = await Promise.all([putSites(owner, sites), putSites(owner, sites)]);
    expect(both.map(told).sort()).toEqual([
      ['created', 'created'],
      ['unchanged', 'unchanged'],
    ]);
    expect(await tree(owner)).toEqual(['a', 'a/b']);
  });
});
