import type { Pool } from 'pg';
import type { RecordIndex } from '../../record-index.js';
import { createLatest } from './latest.js';
import { requireAnswerable } from './match.js';
import { createSearch, type SearchOptions } from './search.js';
import { createSeries } from './series/series.js';

/** What the index works with: the search's connections, and others for what is quick. */
export interface RecordIndexOptions extends SearchOptions {
  /** For newest values. */
  readPool: Pool;
  /** For checking queries. */
  checkPool: Pool;
}

/** Answers questions about records from PostgreSQL. */
export const createRecordIndex = ({ readPool, checkPool, ...options }: RecordIndexOptions): RecordIndex => ({
  ...createSearch(options),
  series: createSeries(options),
  latest: createLatest(readPool),
  check: (organizationId, query) =>
    requireAnswerable(checkPool, query, { organizationId, path: 'query', now: options.clock() }),
});
