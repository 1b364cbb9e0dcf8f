import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { startTestService } from '../../support/start-service.js';
import { until } from '../../support/until.js';
import { AccountActor } from '../../support/world.js';
import { openReplicated, type ReplicatedWorld, serverAddress } from '../replicated.js';

let world: ReplicatedWorld;
let searching: { end(): Promise<Set<number>> } | undefined;
beforeAll(async () => {
  // Reads on the standby are cancelled at once if replay conflicts with them.
  world = await openReplicated(1, { max_standby_streaming_delay: '0' });
  await world.store();
  await world.used();
});
afterEach(async () => {
  await searching?.end();
});
afterAll(() => world.close());

/** Searches in eight loops. `end` returns the different counts that were found. */
function search(): { end(): Promise<Set<number>> } {
  const found = new Set<number>();
  let isOver = false;
  const loops = Array.from({ length: 8 }, async () => {
    while (!isOver) found.add(await world.count());
  });
  searching = {
    async end() {
      isOver = true;
      await Promise.all(loops);
      searching = undefined;
      return found;
    },
  };
  return searching;
}

describe('a standby that answers reads', () => {
  it('loses no search to conflicts with recovery', async () => {
    const [standby] = world.standbys;
    const searches = search();
    const client = new pg.Client(world.primary.url);
    await client.connect();
    await until(async () => {
      await client.query('begin; lock table record in access exclusive mode; select pg_current_xact_id(); commit');
      return (await world.metric('ddp_standby_repeated_total', serverAddress(standby!))) >= 5;
    });
    await client.end();
    expect(await searches.end()).toEqual(new Set([1]));
    await world.used();
  });

  it('gets no reads while it hangs, and gets them again when it goes on', async () => {
    const [standby] = world.standbys;
    const searches = search();
    await standby!.signal('SIGSTOP');
    await until(async () => (await world.metric('ddp_standby_away', serverAddress(standby!))) === 1);
    expect(await world.count()).toBe(1);
    await standby!.signal('SIGCONT');
    await world.used();
    expect(await searches.end()).toEqual(new Set([1]));
  });

  it('gets no reads when it is promoted', async () => {
    const [standby] = world.standbys;
    const searches = search();
    await standby!.query('select pg_promote()');
    await until(async () => (await world.metric('ddp_standby_away', serverAddress(standby!))) === 1);
    await standby!.query('delete from record');
    expect(await world.count()).toBe(1);
    expect(await searches.end()).toEqual(new Set([1]));
  });
});

describe('a standby of a primary that was replaced', () => {
  it('does not answer with records that the new primary never had, and is missed in one log line', async () => {
    const warnings: string[] = [];
    const log = createLog('warn', { write: (line) => void warnings.push(line) });
    const missed = () => warnings.filter((line) => line.includes('The standbys are not examined'));
    const replicated = await openReplicated(2, {}, log);
    const [successor, other] = replicated.standbys;
    try {
      await replicated.store();
      await replicated.used();
      await successor!.query(`alter system set primary_conninfo = ''`);
      await successor!.query('select pg_reload_conf()');
      await until(async () => (await successor!.query('select from pg_stat_wal_receiver')).length === 0);
      for (let count = 0; count < 50; count++) await replicated.store();
      await until(async () => (await replicated.metric('ddp_standby_lag_seconds', serverAddress(other!))) === 0);
      await replicated.primary.signal('SIGQUIT');
      await successor!.query('select pg_promote()');
      const config = { databaseReadUrls: [other!.url] };
      const service = await startTestService(successor!.url, { config });
      try {
        const organization = new AccountActor(service.url, replicated.token, replicated.organization.id);
        await replicated.store(organization);
        for (let round = 0; round < 5; round++) expect(await replicated.count(organization)).toBe(2);
        expect(await replicated.metric('ddp_standby_reads_total', serverAddress(other!), service)).toBe(0);
        expect(await replicated.metric('ddp_standby_reads_total', 'primary', service)).toBe(5);
        // Two standbys of the first service are examined every half second, and find no primary.
        await until(() => missed().length > 0);
        expect(missed()).toHaveLength(1);
      } finally {
        await service.close();
      }
    } finally {
      await replicated.close();
    }
  });
});
