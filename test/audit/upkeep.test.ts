import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { insertEvent } from '#audit/event.js';
import { auditUpkeep } from '#audit/upkeep.js';
import { dayMs } from '#common/time.js';
import { firstId, newId } from '#entities/id.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

let pool: pg.Pool;

beforeAll(() => {
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
});

afterAll(() => pool.end());

const run = (now: number, retention = 400 * dayMs) => auditUpkeep({ pool, clock: () => now, retention }).run();

const partitions = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_event'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
};

/** Writes an event with the given time, and returns its identifier and its partition. */
const write = async (time: number): Promise<{ id: string; table: string }> => {
  const id = `${firstId(time).slice(0, 14)}7000-8000-${newId().slice(-12)}`.replace('0000-7000', '7000');
  await pool.query(
    `insert into audit_event (id, organization_id, actor_kind, action, outcome) values ($1, $1, 'operator', 'test', 'success')`,
    [id],
  );
  const { rows } = await pool.query<{ table: string }>(
    'select tableoid::regclass::text as table from audit_event where id = $1',
    [id],
  );
  return { id, table: rows[0]!.table };
};

describe('partitioning of the audit log', () => {
  it('creates partitions for this month and the next two in a new database', async () => {
    const { rows } = await pool.query<{ month: string }>(
      `select to_char(date_trunc('month', now() at time zone 'UTC') + make_interval(months => n), 'YYYYMM') as month
         from generate_series(0, 2) n`,
    );
    const months = rows.map(({ month }) => `audit_event_${month}`);
    expect(await partitions()).toEqual([...months, 'audit_event_default']);
    await pool.query(insertEvent({ organizationId: null, actor: { kind: 'operator', name: 'root' }, action: 'test' }));
    const { rows: stored } = await pool.query<{ table: string }>(
      'select tableoid::regclass::text as table from audit_event',
    );
    expect(stored).toEqual([{ table: months[0] }]);
  });

  it('creates partitions two months ahead, also by several processes at once', async () => {
    const now = Date.parse('2031-11-30T23:59:59.999Z');
    const early = await write(now);
    expect(early.table).toBe('audit_event_default');
    await Promise.all([run(now, 40_000 * dayMs), run(now, 40_000 * dayMs)]);
    expect(await partitions()).toEqual(
      expect.arrayContaining(['audit_event_203111', 'audit_event_203112', 'audit_event_203201']),
    );
    // Earlier rows of the month have moved into the new partition.
    const { rows } = await pool.query('select tableoid::regclass::text as table from audit_event where id = $1', [
      early.id,
    ]);
    expect(rows).toEqual([{ table: 'audit_event_203111' }]);
    expect((await write(now + 1)).table).toBe('audit_event_203112');
  });

  it('drops a partition when the last of its events has expired', async () => {
    const start = Date.parse('2031-12-01T00:00:00.000Z');
    await run(start + 30 * dayMs - 1, 30 * dayMs);
    expect(await partitions()).toContain('audit_event_203111');
    await run(start + 30 * dayMs, 30 * dayMs);
    expect(await partitions()).not.toContain('audit_event_203111');
    expect(await partitions()).toContain('audit_event_203112');
  });

  it('deletes expired events from the default partition', async () => {
    const old = await write(Date.parse('2001-01-01T00:00:00.000Z'));
    expect(old.table).toBe('audit_event_default');
    await run(Date.parse('2032-01-01T00:00:00.000Z'), 30 * dayMs);
    const { rows } = await pool.query('select from audit_event_default');
    expect(rows).toEqual([]);
  });
});
