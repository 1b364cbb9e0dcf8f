import { pino } from 'pino';
import sql from 'sql-template-tag';
import { createCallReads } from '../../../src/database/call-read.js';
import { createPool } from '../../../src/database/pools.js';
import { createReader } from '../../../src/database/reader.js';
import { VariableType } from '../../../src/entities/enums.js';
import { fairQueueFor } from '../../../src/fair-queue.js';
import { createRecordLog } from '../../../src/records/postgres/log/log.js';
import { createRecordIndex } from '../../../src/records/postgres/search/record-index.js';
import { transaction } from '../../../src/transaction.js';
import { buildWorld, worldNow } from '../../search/world.js';
import { useDatabase } from '../../support/database.js';
import { describeRecordIndex } from './record-index.contract.js';
import { describeRecordLog } from './record-log.contract.js';
import type { Open } from './record-store.js';

const database = useDatabase();

/** The log and the index in PostgreSQL, each in an organization of its own. */
const open: Open = async () => {
  const pool = createPool(database.url, { pipeline: true });
  const world = await buildWorld(pool, {
    products: {
      probe: [
        { name: 't', type: VariableType.FLOAT32 },
        { name: 'state', type: VariableType.TXT },
      ],
    },
    devices: [
      { serial: 'a', product: 'probe' },
      { serial: 'b', product: 'probe' },
      { serial: 'c', product: 'probe', linked: false },
    ],
    records: [],
  });
  const clock = () => worldNow;
  const log = createRecordLog({
    storePool: pool,
    pool,
    queryPool: pool,
    changes: { quick: pool, slow: pool },
    log: pino({ level: 'silent' }),
    clock,
    alongside: async () => undefined,
  });
  const searchPool = createPool(database.url, { pipeline: true });
  const reader = createReader(database.url, 10_000);
  const index = createRecordIndex({
    pool: searchPool,
    queue: fairQueueFor(searchPool),
    reads: createCallReads(reader, pool),
    readPool: pool,
    checkPool: pool,
    clock,
    timeoutMs: 10_000,
  });
  const { organizationId } = world;
  const { rows } = await pool.query<{ id: string; serial: string }>(
    sql`select id, serial from device where organization_id = ${organizationId}`,
  );
  return {
    log,
    index,
    world,
    devices: Object.fromEntries(rows.map(({ id, serial }) => [serial, id])),
    transaction: (work) => transaction(pool, work),
    snapshot: async () =>
      (await pool.query<{ seen: string }>(sql`select pg_current_snapshot()::text as seen`)).rows[0]!.seen,
    // The index reads the tables of the log.
    settled: async () => undefined,
    close: async () => {
      await Promise.all([log.close(), index.close(), reader.close()]);
      await pool.end();
    },
  };
};

describeRecordLog('PostgreSQL', open);
describeRecordIndex('PostgreSQL', open);
