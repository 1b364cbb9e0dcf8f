import { describe, expect, it } from '@jest/globals';
import { wantedWorkers } from '#app/workers/worker-count.js';
import { runCommand } from '../support/command.js';
import { account, useTwoWorkers } from './two-workers.js';

const two = useTwoWorkers();
const settings = (workers: string) => ({
  DATABASE_URL: two.database.url,
  SECRET_KEY: 'a key for tests',
  PORT: '0',
  WORKERS: workers,
});

describe('two workers', () => {
  it('answers at one address, names the worker in the log, and sums the metrics', async () => {
    const before = (await two.accountCount()) || 0;
    for (let n = 0; n < 10; n++) expect((await two.ask(account)).status).toBe(200);
    expect(await two.accountCount()).toBe(before + 10);
    expect(await two.accountCount()).toBe(before + 10);
    const { text: page } = await two.ask('/metrics');
    for (const worker of [1, 2]) {
      expect(page).toMatch(new RegExp(`^process_resident_memory_bytes{worker="${worker}"} \\d+$`, 'm'));
      expect(two.service.lines).toContainEqual(expect.objectContaining({ msg: 'request', worker }));
    }
    expect(await two.figure('ddp_hook_pending')).toBe(0);
  });
});

describe('WORKERS', () => {
  it('defaults to one on the embedded database with two processors, and else to the number of processors', () => {
    const embedded = { workers: undefined, databaseUrl: undefined };
    const served = { workers: undefined, databaseUrl: two.database.url };
    expect([2, 4].map((processors) => wantedWorkers(embedded, processors))).toEqual([1, 4]);
    expect([1, 2].map((processors) => wantedWorkers(served, processors))).toEqual([1, 2]);
    expect(wantedWorkers({ ...embedded, workers: 'auto' }, 2)).toBe(2);
    expect(wantedWorkers({ ...served, workers: 3 }, 16)).toBe(3);
  });

  it('fails for a value that is neither a number nor auto', async () => {
    const { code, stderr } = await runCommand(['serve'], settings('many'));
    expect(code).toBe(1);
    expect(stderr).toContain('WORKERS must be auto or a whole number from 1 to 256.');
  });

  it('fails with advice when the database allows too few connections', async () => {
    const { code, stdout, stderr } = await runCommand(['serve'], settings('250'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/250 workers may open \d+ connections, .* allows \d+ \(max_connections\).* Set WORKERS=\d+/);
  });
});
