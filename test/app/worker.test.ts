import { describe, expect, it } from '@jest/globals';
import { wantedWorkers } from '../../src/workers/worker-count.js';
import { runCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
const settings = (workers: string) => ({
  DATABASE_URL: database.url,
  SECRET_KEY: 'a key for tests',
  PORT: '0',
  WORKERS: workers,
});

describe('WORKERS', () => {
  it('is one on the embedded database of a machine with two processors, else as many as there are', () => {
    const embedded = { workers: undefined, databaseUrl: undefined };
    const served = { workers: undefined, databaseUrl: database.url };
    expect([2, 4].map((processors) => wantedWorkers(embedded, processors))).toEqual([1, 4]);
    expect([1, 2].map((processors) => wantedWorkers(served, processors))).toEqual([1, 2]);
    expect(wantedWorkers({ ...embedded, workers: 'auto' }, 2)).toBe(2);
    expect(wantedWorkers({ ...served, workers: 3 }, 16)).toBe(3);
  });

  it('must be a number of processes, or auto', async () => {
    const { code, stderr } = await runCommand(['serve'], settings('many'));
    expect(code).toBe(1);
    expect(stderr).toContain('WORKERS must be auto or a whole number from 1 to 256.');
  });

  it('stops the start with a sentence where the database has too few connections for so many', async () => {
    const { code, stdout, stderr } = await runCommand(['serve'], settings('250'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/250 workers may open \d+ connections, .* allows \d+ \(max_connections\).* Set WORKERS=\d+/);
  });
});
