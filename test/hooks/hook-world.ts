import { afterAll, afterEach, beforeAll } from '@jest/globals';
import pg from 'pg';
import sql from 'sql-template-tag';
import { createPool } from '#database/pools.js';
import { newId } from '#entities/id.js';
import type { Hooks, HooksOptions } from '#hooks/hooks.js';
import { purgeDeleted } from '#hooks/housekeeping.js';
import type { RecordDevice } from '#hooks/message.js';
import { useDatabase } from '../support/database.js';
import { openHooks } from './open-hooks.js';
import { startReceiver } from './receiver.js';

/** An application with one device and one hook. */
export interface Subject {
  organizationId: string;
  applicationId: string;
  hookId: string;
  device: RecordDevice;
}

/** Columns of a hook that a test sets. */
export interface HookValues {
  url: string;
  disabled?: boolean;
  concurrency?: number;
  ordered?: boolean;
  max_per_second?: number;
  allow_unverified_ssl_cert?: boolean;
}

/** The columns of a delivery that tests read. */
export interface DeliveryRow {
  id: string;
  state: string;
  attempts_made: number;
  max_attempts: number;
  next_attempt_at: string;
  request: { headers: Record<string, string>; uri: object } | null;
  response: { statusCode: number; headers: Record<string, string>; body: unknown } | null;
  error: { code: string; message: string } | null;
  truncated: boolean;
  attempts: { statusCode?: number; error?: { code: string }; duration: Record<string, number> }[];
}

/** Hook delivery on a database of the test file, with a clock that the test sets. */
export interface HookWorld {
  readonly pool: pg.Pool;
  /** Address of the database. */
  readonly url: string;
  /** Makes the database unreachable; the returned function ends the outage. */
  outage(): Promise<() => Promise<void>>;
  /** Deletes the deliveries of deleted hooks, as upkeep does a minute later. */
  purge(): Promise<void>;
  /** The clock of the deliveries, in milliseconds since 1970; starts at the present. */
  now: number;
  /** Starts deliveries, which stop after the test. */
  open(options?: Partial<HooksOptions>): Promise<Hooks>;
  /** Creates an organization with an application, a device and a hook. */
  subject(hook: HookValues): Promise<Subject>;
  /** Creates another device of the subject's application. */
  device(subject: Pick<Subject, 'organizationId' | 'applicationId'>): Promise<RecordDevice>;
  /** Stores the deliveries of `count` records in one transaction. */
  store(hooks: Hooks, subject: Subject, count?: number): Promise<void>;
  /** Resolves when the dispatcher has polled for due deliveries, which a delivery of another hook shows. */
  turn(hooks: Hooks): Promise<void>;
  /** Returns the deliveries of a hook, the first stored first. */
  deliveries(subject: Subject): Promise<DeliveryRow[]>;
  /** Resolves when none of these subjects has a waiting delivery. */
  drained(subjects: readonly Subject[]): Promise<void>;
  /** Polls the deliveries after each settlement until `reached` holds. */
  until(subject: Subject, reached: (rows: DeliveryRow[]) => boolean): Promise<DeliveryRow[]>;
}

/** Creates the world of a test file. Loopback may be called; retries come after 5 s and 5 min. */
export function useHookWorld(): HookWorld {
  const database = useDatabase();
  const opened = new Set<() => Promise<void>>();
  let pool: pg.Pool;
  let nextSerial = 0x1000;

  beforeAll(() => {
    pool = createPool(database.url);
  });
  afterEach(async () => {
    for (const close of opened) await close();
    opened.clear();
  });
  afterAll(() => pool.end());

  const world: HookWorld = {
    get pool() {
      return pool;
    },
    get url() {
      return database.url;
    },
    now: Date.now(),
    async outage() {
      const name = new URL(database.url).pathname.slice(1);
      const elsewhere = new URL(database.url);
      elsewhere.pathname = '/postgres';
      const admin = new pg.Client(elsewhere.toString());
      await admin.connect();
      await admin.query(`alter database ${name} allow_connections false`);
      await admin.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`);
      return async () => {
        await admin.query(`alter database ${name} allow_connections true`);
        await admin.end();
      };
    },
    async purge() {
      while ((await purgeDeleted(pool, Date.now() + 60_000)) > 0);
    },
    async open(options = {}) {
      const { hooks, dispatcherPool } = openHooks(pool, database.url, {
        clock: () => world.now,
        random: () => 0.5,
        schedule: [5000, 300_000],
        timeout: 30_000,
        ...options,
      });
      opened.add(async () => {
        await hooks.close(500);
        await dispatcherPool.end();
      });
      await hooks.start();
      return hooks;
    },
    async subject({ url, ...values }) {
      const [organizationId, applicationId, hookId] = [newId(), newId(), newId()];
      await pool.query(sql`insert into account (id, type, username, email, created_at, updated_at)
        values (${organizationId}, 'organization', ${organizationId}, ${`${organizationId}@example.org`}, now(), now())`);
      await pool.query(sql`insert into application (id, organization_id, name, slug, created_at, updated_at)
        values (${applicationId}, ${organizationId}, 'a', 'a', now(), now())`);
      const device = await world.device({ organizationId, applicationId });
      await pool.query(sql`insert into hook (id, organization_id, application_id, url, disabled, concurrency, ordered,
          max_per_second, allow_unverified_ssl_cert, created_at, updated_at)
        values (${hookId}, ${organizationId}, ${applicationId}, ${url}, ${values.disabled ?? false},
          ${values.concurrency ?? 8}, ${values.ordered ?? false}, ${values.max_per_second ?? null},
          ${values.allow_unverified_ssl_cert ?? false}, now(), now())`);
      return { organizationId, applicationId, hookId, device };
    },
    async device({ organizationId, applicationId }) {
      const [id, serial] = [newId(), (nextSerial++).toString(16)];
      await pool.query(sql`insert into device (id, organization_id, serial, slug, created_at, updated_at)
        values (${id}, ${organizationId}, ${serial}, 'd', now(), now())`);
      await pool.query(sql`insert into application_device (organization_id, application_id, device_id)
        values (${organizationId}, ${applicationId}, ${id})`);
      return { id, serial, organizationId };
    },
    async store(hooks, { device }, count = 1) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const records = Array.from({ length: count }, (_, index) => ({
          id: newId(),
          ts: 1_700_000_000.25 + index,
          metadata: { rssi: -90 },
          data: { temperature: 21.5, index },
          device,
        }));
        await (await hooks.planDeliveries(client, records))?.write();
        await client.query('commit');
      } finally {
        client.release();
      }
      hooks.wake();
    },
    async turn(hooks) {
      const receiver = await startReceiver();
      const sentinel = await world.subject({ url: receiver.url() });
      await world.store(hooks, sentinel);
      await world.until(sentinel, ([row]) => row?.state === 'succeeded');
      await receiver.close();
    },
    async deliveries({ hookId }) {
      const { rows } = await pool.query<DeliveryRow>(
        sql`select * from delivery where hook_id = ${hookId} order by seq`,
      );
      return rows;
    },
    async drained(subjects) {
      const hooks = subjects.map(({ hookId }) => hookId);
      for (;;) {
        const { rows } = await pool.query(
          sql`select from delivery where not done and hook_id = any(${hooks}::uuid[]) limit 1`,
        );
        if (rows.length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async until(subject, reached) {
      for (;;) {
        const rows = await world.deliveries(subject);
        if (reached(rows)) return rows;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
  return world;
}
