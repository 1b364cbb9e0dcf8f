import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { ClusterConfig } from '#config/cluster-setting.js';
import { nilId } from '#entities/id.js';
import { BulkWriter } from './bulk.js';
import { createClient } from './client.js';
import { createMapping } from './cluster-mapping.js';
import { DocumentMaker } from './document-maker.js';
import { indexNames } from './indices.js';
import {
  type DeadLetter,
  dropDeadLetters,
  keepDeadLetters,
  listDeadLetters,
  readDeadLetters,
} from './journal/dead-letter.js';
import { removeOrphans } from './log/orphan.js';
import { beginBuild, estimateRecords, stepBuild } from './move/build.js';
import { compareHours, copyAgain, type WrongHour } from './move/check.js';
import { beginDrain, followJournal, stepDrain, waitsForIndex } from './move/drain.js';
import type { BuildState, DrainState } from './move/state.js';
import { FieldPlaces } from './place.js';

/** Operations on the index for the command line. */
export interface ClusterTools {
  /** Starts or resumes the copy of records into the cluster. Returns their approximate number. */
  beginBuild(): Promise<number>;
  /** Copies a page. Returns undefined if another process does so. */
  stepBuild(): Promise<BuildState | undefined>;
  compareHours(): ReturnType<typeof compareHours>;
  /** Copies the hours again for which the cluster has too few records. Returns the number that it lacked. */
  copyAgain(wrong: readonly WrongHour[]): Promise<number>;
  /** Starts or resumes the copy of records back to PostgreSQL, after everything stored before is indexed. */
  beginDrain(): Promise<void>;
  stepDrain(): Promise<DrainState | undefined>;
  /** Copies the journal's new records. Returns their number. */
  followJournal(): Promise<number | undefined>;
  /** Lists records that the index refuses, the oldest 1,000. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Retries all dead letters. Returns the number that is indexed now. */
  retryDeadLetters(): Promise<number>;
  /**
   * Queues all records of the journal for indexing. Existing documents stay as they are. Returns the number of records.
   */
  queueJournal(): Promise<number>;
  /** Deletes documents of deleted devices. Returns their number. */
  removeOrphans(): Promise<number>;
  close(): Promise<void>;
}

const listed = 1000;
const pageSize = 500;

/** Connects to the cluster and makes sure that its template exists. */
export const openClusterTools = async (config: ClusterConfig, pool: Pool): Promise<ClusterTools> => {
  const client = createClient(config);
  const names = indexNames(config.prefix);
  const writer = new BulkWriter(client);
  const mapping = createMapping(client, config, pool);
  const maker = new DocumentMaker(pool, new FieldPlaces(pool, mapping.mapPlaces), names);
  const options = { pool, client, names, writer, maker };
  await mapping.ready();
  return {
    async beginBuild() {
      await beginBuild(options);
      return estimateRecords(pool);
    },
    stepBuild: () => stepBuild(options),
    compareHours: () => compareHours(options),
    copyAgain: (wrong) => copyAgain(options, wrong),
    async beginDrain() {
      const state = await beginDrain(options);
      while (state.phase === 'copy' && (await waitsForIndex(options, state))) await pause(200);
      await client.indices.refresh({ index: names.all, ignore_unavailable: true, allow_no_indices: true });
    },
    stepDrain: () => stepDrain(options),
    followJournal: () => followJournal(options),
    deadLetters: () => listDeadLetters(pool, listed),
    async retryDeadLetters() {
      let indexed = 0;
      for (let after = nilId; ; ) {
        const rows = await readDeadLetters(pool, after, pageSize);
        const made = await maker.make(rows);
        const { refused } = await writer.write(made.items);
        const still = [...refused, ...made.refused];
        await keepDeadLetters(pool, still);
        const ids = new Set(still.map(({ item: { row } }) => row.id));
        await dropDeadLetters(
          pool,
          rows.flatMap(({ id }) => (ids.has(id) ? [] : id)),
        );
        indexed += rows.length - ids.size;
        if (rows.length < pageSize) return indexed;
        after = rows.at(-1)!.id;
      }
    },
    async queueJournal() {
      const { rows } = await pool.query<{ records: number }>(sql`
        with pages as (
          select array_agg(distinct organization_id) as organizations, min(id::text)::uuid as low, max(id::text)::uuid as high,
                 count(*) as records, sum(pg_column_size(j.*)) as bytes
            from (select *, row_number() over (order by id) / ${pageSize}::int as page from journal.record) j group by page
        ), queued as (
          insert into record_batch (organizations, low, high, records, bytes)
          select organizations, low, high, records, bytes from pages returning records
        )
        select coalesce(sum(records), 0)::float8 as records from queued`);
      return rows[0]!.records;
    },
    removeOrphans: () => removeOrphans(options),
    close: () => client.close(),
  };
};
