import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { atEnd, expectRefusals, full, limit, report, startDay, timed, until, useEnds } from './day.js';
import { postmasterOf } from './embedded.js';

useEnds();

/** Signals the first process of a server and its children. */
const signal = (postmaster: number, name: 'STOP' | 'CONT') => {
  spawnSync('kill', [`-${name}`, `${postmaster}`]);
  spawnSync('pkill', [`-${name}`, '-P', `${postmaster}`]);
};

describe('embedded database that is killed repeatedly', () => {
  it(
    'starts again each time, and loses no acknowledged record',
    async () => {
      const day = await startDay();
      const recovered: number[] = [];
      await day.load.stored(20);
      day.load.take();
      for (let round = 0; round < (full ? 20 : 3); round++) {
        const killed = (await postmasterOf(day.dataDir))!;
        process.kill(killed, 'SIGKILL');
        await day.load.answered('503');
        recovered.push(
          await timed(
            until(async () => {
              const now = await postmasterOf(day.dataDir);
              return now !== undefined && now !== killed;
            }).then(() => day.load.stored()),
          ),
        );
        // `answered` must see the refusals of the next round only.
        const answers = day.load.take();
        expectRefusals(answers, day);
        await report({ fault: 'database killed', round, ...answers, recovered: recovered.at(-1) });
      }
      await day.settle();
    },
    limit,
  );
});

describe('embedded database that is paused', () => {
  it(
    'continues afterwards, and loses no acknowledged record',
    async () => {
      const day = await startDay();
      await day.load.stored(20);
      day.load.take();
      const postmaster = (await postmasterOf(day.dataDir))!;
      signal(postmaster, 'STOP');
      atEnd(() => signal(postmaster, 'CONT'));
      await pause(full ? 30_000 : 5000);
      const alive = await fetch(`${day.url}/healthz`);
      signal(postmaster, 'CONT');
      const recovered = await timed(day.load.stored());
      await day.settle();
      const answers = day.load.take();
      await report({ fault: 'database stands still', ...answers, recovered });
      expect(alive.status).toBe(200);
      expectRefusals(answers, day);
    },
    limit,
  );
});
