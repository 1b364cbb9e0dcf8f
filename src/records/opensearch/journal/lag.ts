import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { unavailable } from '#common/errors.js';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';
import { type Lag, readLag } from './claim.js';

/** Interval of the checks, in milliseconds. */
const interval = 1000;
/** Delay of the index, in seconds, that is logged, and minimum time between such log lines, in milliseconds. */
const late = 30;
const quiet = 60_000;

export interface LagOptions {
  pool: Pool;
  log: Logger;
  registry: Registry;
  /** Maximum number of bytes that may wait to be indexed. */
  maxBytes: number;
}

/** Watches how far the index is behind the journal. */
export interface LagWatch extends Pick<PollLoop, 'start' | 'close'> {
  /** Counts bytes stored since the last check. */
  add(bytes: number): void;
  /** @throws ApiError 503 if so much waits to be indexed that ingestion stops */
  admit(): void;
}

const noLag: Lag = { batches: 0, records: 0, bytes: 0, oldest: 0, deadLetters: 0 };

/** Creates the watch. It reports the backlog to Prometheus and the log, and stops ingestion if it is too large. */
export const watchLag = ({ pool, log, registry, maxBytes }: LagOptions): LagWatch => {
  let lag = noLag;
  let since = 0;
  let saidAt = -quiet;
  let full = false;
  const loop = createPollLoop({
    interval,
    async poll() {
      const added = since;
      lag = await readLag(pool);
      since -= added;
      const isFull = lag.bytes > maxBytes;
      const now = performance.now();
      if (isFull !== full) {
        full = isFull;
        const { records, bytes } = lag;
        if (full) log.error({ records, bytes, maxBytes }, 'Too many records wait to be indexed; ingestion answers 503');
        else log.info({ records, bytes }, 'Ingestion continues');
      } else if (lag.oldest > late && now - saidAt > quiet) {
        saidAt = now;
        log.warn(lag, 'Index is behind; records wait in the journal');
      }
    },
    onFailure: () => undefined,
  });
  const gauge = (name: string, help: string, figure: keyof Lag) =>
    new Gauge({
      // The figure comes from the database and is the same in every worker.
      aggregator: 'max',
      name,
      help,
      registers: [registry],
      collect() {
        this.set(lag[figure]);
      },
    });
  gauge('ddp_index_records_behind', 'Records that wait to be indexed.', 'records');
  gauge('ddp_index_bytes_behind', 'Bytes of the records that wait to be indexed.', 'bytes');
  gauge('ddp_index_oldest_seconds', 'Time for which the oldest unindexed record has waited.', 'oldest');
  gauge('ddp_index_dead_letters', 'Records that the index refuses.', 'deadLetters');
  return {
    start: loop.start,
    close: loop.close,
    add(bytes) {
      since += bytes;
    },
    admit() {
      if (lag.bytes + since > maxBytes)
        throw unavailable('Too many records wait to be indexed. They are safe; send yours again in a while.');
    },
  };
};
