import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from '@jest/globals';
import pg from 'pg';
import sql from 'sql-template-tag';
import { itIf } from '../support/conditional.js';
import { atEnd, full, limit, openReceiver, report, startDay, timed, until, useEnds } from './day.js';
import { embeddedAddress } from './embedded.js';

useEnds();

const lasting = full ? 20_000 : 3000;

/** Debian's libfaketime, which scripts/ops-tools.sh fetches. Without it the clock stays unchanged. */
const fakeTime = ['x86_64', 'aarch64']
  .map((machine) => join(process.env['OPS_TOOLS'] ?? '', `usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`))
  .find(existsSync);

/** Returns the time of the embedded database in milliseconds since 1970. */
async function clockOfDatabase(dataDir: string): Promise<number> {
  const client = new pg.Client(await embeddedAddress(dataDir));
  await client.connect();
  const { rows } = await client.query<{ now: Date }>(sql`select clock_timestamp() now`);
  await client.end();
  return rows[0]!.now.getTime();
}

describe.each([
  ['forward', '+3600'],
  ['back', '-3600'],
])('clock of service and database stepped %s by an hour', (direction, step) => {
  itIf(fakeTime !== undefined, 'OPS_TOOLS has no libfaketime')(
    'leaves storing and hook calls working',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'ddp-clock-'));
      atEnd(() => rm(folder, { recursive: true, force: true }));
      // The database runs as another user, who must read the file too.
      await chmod(folder, 0o755);
      const file = join(folder, 'time');
      await writeFile(file, '+0\n', { mode: 0o644 });
      const day = await startDay({
        settings: {
          LD_PRELOAD: fakeTime!,
          FAKETIME_TIMESTAMP_FILE: file,
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      });
      // Makes some calls fail, so that deliveries wait for their next attempt when the clock is stepped.
      const numbers = new Set<number>();
      let stepped = false;
      const failing = await openReceiver((response, { body }) => {
        const { n } = (JSON.parse(body) as { record: { data: { n: number } } }).record.data;
        if (n % 3 === 0 && !stepped) return void response.writeHead(500).end();
        numbers.add(n);
        response.end();
      });
      const hooks = `/applications/${day.organization}/${day.application}/hooks`;
      expect((await day.call('POST', hooks, { url: failing.url() })).status).toBe(200);
      const first = day.load.acknowledged.size;
      await day.load.stored(20);
      day.load.take();
      await writeFile(file, `${step}\n`);
      const recovered = await timed(day.load.stored(20));
      await pause(lasting);
      expect(Math.abs((await clockOfDatabase(day.dataDir)) - Date.now() - 1000 * Number(step))).toBeLessThan(60_000);
      stepped = true;
      const { statuses, longest } = day.load.take();
      const settled = await timed(
        day
          .settle()
          .then(() => until(() => [...day.load.acknowledged].slice(first + 100).every((n) => numbers.has(n)))),
      );
      await report({ fault: `clock ${direction} by an hour`, statuses, longest, recovered, settled });
      expect(Object.keys(statuses)).toEqual(['200']);
    },
    limit,
  );
});

/** Milliseconds within which records are stored again once no more large bodies arrive. */
const recovery = 30_000;

describe('two workers with heaps of 160 MiB under 24 senders of 10,000 records', () => {
  itIf(full, 'takes minutes, needs CHAOS=full')(
    'stores other records within 30 s after that, even if a worker died',
    async () => {
      const day = await startDay({
        settings: { WORKERS: '2', NODE_OPTIONS: '--max-old-space-size=160', LOG_LEVEL: 'error' },
      });
      await day.load.stored(20);
      day.load.take();
      // A parsed body takes ten times its size. The service parses only a few bodies at once, so a worker may or may
      // not die.
      const died = () => day.logged().split('Worker ended').length - 1;
      const items = JSON.stringify(
        Array.from({ length: 10_000 }, (_, n) => ({ serial: 'nobody', data: { n, a: [n, n, n] } })),
      );
      let over = false;
      const attacked: Record<string, number> = {};
      const attackers = Array.from({ length: 24 }, async () => {
        while (!over && died() === 0) {
          const status = await fetch(`${day.url}/ddp/v1/organizations/${day.organization}/records`, {
            method: 'POST',
            headers: { authorization: `Bearer ${day.token}`, 'content-type': 'application/json' },
            body: items,
          })
            .then((response) => response.arrayBuffer().then(() => `${response.status}`))
            .catch(() => 'broken');
          attacked[status] = (attacked[status] ?? 0) + 1;
        }
      });
      await Promise.race([Promise.all(attackers), pause(60_000)]);
      over = true;
      const { statuses, longest } = day.load.take();
      const recovered = await timed(day.load.stored());
      await Promise.all(attackers);
      await day.settle();
      await report({ fault: 'memory at its limit', died: died(), attacked, statuses, longest, recovered });
      const allowed = died() === 0 ? ['200', '429', '503'] : ['200', '429', '503', 'broken'];
      for (const answers of [attacked, statuses])
        expect(Object.keys(answers).filter((status) => !allowed.includes(status))).toEqual([]);
      // With fewer large bodies than senders, the test would prove nothing.
      expect(Object.values(attacked).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(24);
      expect(statuses['200']).toBeGreaterThan(0);
      expect(recovered).toBeLessThan(recovery);
      // The primary process, which restarts ended workers, still runs.
      expect(day.process.exitCode).toBeNull();
    },
    limit,
  );
});
