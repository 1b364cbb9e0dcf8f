import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { ApiError } from '#common/errors.js';
import type { Log } from '#common/log.js';
import { secondMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { type Item, Rejection } from '#records/item.js';
import type { RecordLog, StoredRecords } from '#records/record-log.js';
import { createPeriodicTasks } from '#scheduling/periodic-tasks.js';
import { CallCounter } from './call-counter.js';
import { Quotas, type Settle } from './quotas.js';

/** Usage and quotas of organizations. */
export interface Usage {
  /** Counts calls of an organization. */
  count(organizationId: string, calls?: number): void;
  /** Wraps the record store so that it refuses calls that exceed a quota. */
  limit(records: RecordLog): RecordLog;
  /** @throws ApiError if the organization has used up its quota of stored bytes */
  requireStorage(organizationId: string): void;
  /** Loads the quotas, which apply from then on, and starts the periodic work. */
  start(): Promise<void>;
  /** Writes the last counts. */
  close(): Promise<void>;
}

/**
 * Interval of refreshing quotas and what other processes have stored, in milliseconds. A new quota applies after at
 * most this time.
 */
const lookEvery = 2 * secondMs;

export const createUsage = ({
  pool,
  clock,
  log,
  countAll,
}: {
  pool: Pool;
  clock: () => number;
  log: Log;
  /** Counts the stored records of an organization. */
  countAll: StoredRecords['countAll'];
}): Usage => {
  const calls = new CallCounter(clock);
  const quotas = new Quotas(pool, clock);
  let closing = false;
  const tasks = createPeriodicTasks(
    {
      calls: { every: 5 * secondMs, run: () => calls.flush(pool) },
      usage: {
        every: 5 * secondMs,
        run: async () => {
          while (!closing && (await foldUsage(pool)));
        },
      },
      quotas: { every: lookEvery, run: () => quotas.look() },
      storage: {
        every: 5 * secondMs,
        run: async () => {
          while (!closing && (await measureStorage(pool, new Date(clock()), countAll)));
        },
      },
    },
    { log, failed: 'Count of usage failed; it will be repeated' },
  );
  return {
    count: (organizationId, n) => calls.count(organizationId, n),
    limit: (of) => limitRecords(of, quotas),
    requireStorage: (organizationId) => quotas.requireStorage(organizationId),
    async start() {
      await quotas.look();
      tasks.start();
    },
    async close() {
      closing = true;
      await tasks.close();
      await quotas.close().catch((error: unknown) => log.warn({ err: error }, 'Claims of quotas not released'));
      await calls.flush(pool).catch((error: unknown) => log.warn({ err: error }, 'Last calls not counted'));
    },
  };
};

const limitRecords = (records: RecordLog, quotas: Quotas): RecordLog => ({
  ...records,
  async append(call) {
    let settle: Settle;
    try {
      const reserving = quotas.reserve(call.organizationId, call.items.filter(isItem).length);
      // Most organizations have no quota: their calls do not wait here.
      settle = reserving instanceof Promise ? await reserving : reserving;
    } catch (error) {
      if (error instanceof ApiError) quotas.noteRefused(call.organizationId);
      throw error;
    }
    try {
      const result = await records.append(call);
      settle(result.isRepeated ? 0 : result.accepted);
      return result;
    } catch (error) {
      settle(0);
      throw error;
    }
  },
});

const isItem = (item: Item | Rejection): boolean => !(item instanceof Rejection);

/** Number of rows that one transaction adds up. */
const batchSize = 5000;

/**
 * Adds a batch of rows of `usage_delta` to the rows of days. Returns whether more may remain. Only one process does so
 * at a time: two would wait for each other's rows.
 */
export const foldUsage = (pool: Pool): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ locked: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('usage', 0)) as locked`,
    );
    if (!rows[0]?.locked) return false;
    // One snapshot sees both the deleted rows and, through the view, their sums.
    const { rows: folded } = await tx.query<{ n: number }>(sql`
      with taken as (
        delete from usage_delta where id = any(array(select id from usage_delta order by id limit ${batchSize})) returning id
      ), added as (
        insert into usage_day as stored (organization_id, day, product_id, application_id, records, bytes, deliveries, calls, commands)
        select p.organization_id, p.day, p.product_id, p.application_id, sum(p.records), sum(p.bytes), sum(p.deliveries), sum(p.calls), sum(p.commands)
          from usage_pending p join account a on a.id = p.organization_id
         where p.delta_id in (select id from taken)
         group by 1, 2, 3, 4
        on conflict (organization_id, day, product_id, application_id) do update
           set records = stored.records + excluded.records, bytes = stored.bytes + excluded.bytes,
               deliveries = stored.deliveries + excluded.deliveries, calls = stored.calls + excluded.calls,
               commands = stored.commands + excluded.commands
      )
      select count(*)::int as n from taken`);
    return folded[0]?.n === batchSize;
  });

/** Time for which a count of stored records is valid, in seconds. */
const holds = 60;

/**
 * Measures the stored records of one organization that has a quota of stored bytes and whose last measurement is too
 * old. Returns false if there is no such organization. The size is estimated from the average of all records that the
 * organization ever stored, because the size of deleted records is not measured.
 */
const measureStorage = async (
  database: Queryable,
  now: Date,
  countAll: (organizationId: string) => Promise<number>,
): Promise<boolean> => {
  await database.query(
    sql`insert into storage (organization_id) select organization_id from quota where stored_bytes is not null on conflict do nothing`,
  );
  const { rows } = await database.query<{ id: string; records: number; bytes: number }>(sql`
    with chosen as (
      update storage set measured_at = ${now} where organization_id = (
        select s.organization_id from storage s join quota q using (organization_id)
         where q.stored_bytes is not null and s.measured_at < ${now}::timestamptz - make_interval(secs => ${holds})
         order by s.measured_at limit 1 for update of s skip locked)
      returning organization_id
    )
    select c.organization_id as id, coalesce(sum(u.records), 0)::float8 as records, coalesce(sum(u.bytes), 0)::float8 as bytes
      from chosen c left join lateral (
        select d.records, d.bytes from usage_day d
         where d.organization_id = c.organization_id and d.product_id is null and d.application_id is null
        union all
        select p.records, p.bytes from usage_delta p where p.organization_id = c.organization_id) u on true
     group by 1`);
  const [found] = rows;
  if (found === undefined) return false;
  const records = await countAll(found.id);
  const bytes = found.records === 0 ? 0 : Math.round((records * found.bytes) / found.records);
  await database.query(sql`
    update storage set records = ${records}, bytes = ${bytes}, total_bytes = ${found.bytes} where organization_id = ${found.id}`);
  return true;
};
