import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ended, startCommand } from '../../support/command.js';
import { AccountActor } from '../../support/world.js';
import { openReplicated, type ReplicatedWorld } from '../replicated.js';

/** Number of processes, each with two callers at a time. */
const processes = 2;

let world: ReplicatedWorld;
const children: ChildProcess[] = [];
/** The organization as it calls each process. */
const callers: AccountActor[] = [];
beforeAll(async () => {
  world = await openReplicated(2);
  for (let number = 0; number < processes; number++) {
    const child = startCommand(['serve', '--json'], {
      DATABASE_URL: world.primary.url,
      DATABASE_READ_URL: world.standbys.map(({ url }) => url).join(','),
      SECRET_KEY: 'a key for tests',
      RATE_LIMIT: '0',
      PORT: '0',
    });
    children.push(child);
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    callers.push(new AccountActor(url, world.token, world.organization.id));
  }
});
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGTERM');
    await ended(child);
  }
  await world.close();
});

/** Ways to read the number of records, each by another kind of query. */
const reads: Readonly<Record<string, (by: AccountActor) => Promise<number>>> = {
  search: (by) => world.count(by),
  async usage(by) {
    const { body } = await by.graph(`{ usage(organizationId: "${by.id}") { items { records } } }`);
    return (body.data!['usage'].items as { records: number }[]).reduce((sum, { records }) => sum + records, 0);
  },
  async list(by) {
    const query = `{ device(organizationId: "${by.id}", deviceId: "${world.deviceId}") { records(limit: 1) { totalCount } } }`;
    return (await by.graph(query)).body.data!['device'].records.totalCount as number;
  },
  async series(by) {
    const query = `{ device(organizationId: "${by.id}", deviceId: "${world.deviceId}") { series(variables: ["value"], function: count, points: 3) { values } } }`;
    const [line] = (await by.graph(query)).body.data!['device'].series as { values: number[] }[];
    return line?.values.reduce((sum, value) => sum + value, 0) ?? 0;
  },
  async export(by) {
    const file = `${by.base}/applications/${by.id}/${world.applicationId}/export?format=ndjson`;
    const text = await (await fetch(file, { headers: { authorization: `Bearer ${world.token}` } })).text();
    return text.split('\n').filter(Boolean).length;
  },
};

/** Numbers of records whose storing has begun, and of those that were acknowledged. */
const count = { begun: 0, acknowledged: 0 };

/**
 * Lets a process perform one step. A read must find at least the records that were acknowledged to any caller when it
 * began.
 */
async function run(step: string, by: AccountActor, standby: number): Promise<void> {
  if (step === 'pause' || step === 'resume') {
    await world.standbys[standby]!.query(`select pg_wal_replay_${step}()`);
  } else if (step === 'store') {
    count.begun += 1;
    await world.store(by);
    count.acknowledged += 1;
  } else {
    const least = count.acknowledged;
    const found = await reads[step]!(by);
    expect({ step, found, isEnough: found >= least }).toEqual({ step, found, isEnough: true });
    expect(found).toBeLessThanOrEqual(count.begun);
  }
}

const steps = fc.array(
  fc.record({
    step: fc.oneof(
      { weight: 8, arbitrary: fc.constant('store') },
      { weight: 12, arbitrary: fc.constantFrom(...Object.keys(reads)) },
      { weight: 2, arbitrary: fc.constantFrom('pause', 'resume') },
    ),
    process: fc.nat({ max: processes - 1 }),
    standby: fc.nat({ max: 1 }),
    wait: fc.nat({ max: 5 }),
  }),
  { minLength: 20, maxLength: 60 },
);

describe('read on a standby', () => {
  it('returns every change acknowledged before, in any order over two processes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(steps, steps, steps, steps), async (all) => {
        await Promise.all(
          all.map(async (each) => {
            for (const { step, process, standby, wait } of each) {
              await run(step, callers[process]!, standby);
              await delay(wait);
            }
          }),
        );
        for (const { query } of world.standbys) await query('select pg_wal_replay_resume()');
      }),
      { numRuns: 20, interruptAfterTimeLimit: 60_000, endOnFailure: true },
    );
    const answered = await Promise.all(callers.map(async ({ base }) => readsOnStandbys(new URL(base).origin)));
    for (const each of answered) expect(each).toBeGreaterThan(100);
  });
});

/** Returns the number of reads that standbys answered. */
async function readsOnStandbys(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const lines = text.matchAll(/^ddp_standby_reads_total\{server="127[^"]*"\} (\d+)/gm);
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}
