import sql from 'sql-template-tag';
import { createPool } from '#database/pools.js';
import { VariableType } from '#entities/enums.js';
import { buildWorld, worldNow } from '../../search/world.js';
import { useDatabase } from '../../support/database.js';
import { testRecordIndex } from '../../support/record-index.js';
import { openTestRecords } from '../../support/records.js';
import { describeRecordIndex } from './record-index.contract.js';
import { describeRecordLog } from './record-log.contract.js';
import type { Open } from './record-store.js';

const database = useDatabase();

/** Opens the log and the index of the engine that this test run uses, in a new organization each time. */
const open: Open = async () => {
  const pool = createPool(database.url);
  const records = await openTestRecords(database.url, { clock: () => worldNow, timeoutMs: 30_000 });
  const world = await buildWorld(
    pool,
    {
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
    },
    records,
  );
  const { organizationId } = world;
  const { rows } = await pool.query<{ id: string; serial: string }>(
    sql`select id, serial from device where organization_id = ${organizationId}`,
  );
  return {
    ...records,
    world,
    devices: Object.fromEntries(rows.map(({ id, serial }) => [serial, id])),
    snapshot: async () =>
      (await pool.query<{ seen: string }>(sql`select pg_current_snapshot()::text as seen`)).rows[0]!.seen,
    close: async () => {
      await records.close();
      await pool.end();
    },
  };
};

describeRecordLog(testRecordIndex(), open);
describeRecordIndex(testRecordIndex(), open);
