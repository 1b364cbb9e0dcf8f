import type { Pool } from 'pg';
import type { CallReads } from '#database/call-read.js';
import type { RecordIndex } from '#records/record-index.js';
import { createGroupSeries } from './group/group.js';
import { createLatest } from './latest-record.js';
import { createFind, createHorizon, createNewestTimes, createSilentDevices } from './list.js';
import { requireAnswerable } from './match.js';
import { createSearch, type SearchOptions } from './postgres-search.js';
import { createList } from './record-page.js';
import { createSeries } from './series/series.js';
import { createStates } from './states/states.js';

/** Dependencies of the index: the search's connections, which it closes, and others for quick reads. */
export interface RecordIndexOptions extends SearchOptions {
  /** For single records and lists of them. */
  reads: CallReads;
  /** For newest values. */
  readPool: Pool;
  /** For checking queries. */
  checkPool: Pool;
}

/** Creates the index of records over PostgreSQL. */
export const createRecordIndex = ({ reads, readPool, checkPool, ...options }: RecordIndexOptions): RecordIndex => ({
  ...createSearch(options),
  series: createSeries(options),
  groupSeries: createGroupSeries(options),
  states: createStates(options),
  latest: createLatest(readPool),
  find: createFind(reads),
  list: createList(reads),
  newestTimes: createNewestTimes(reads),
  silentDevices: createSilentDevices(reads),
  horizon: createHorizon(reads),
  close: () => options.pool.end(),
  check: (application, query) =>
    requireAnswerable(checkPool, query, { ...application, path: 'query', now: options.clock() }),
});
