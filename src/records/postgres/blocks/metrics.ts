import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { type BlockDays, countBlockDays } from './block-days.js';

/** Registers the metrics of blocks. */
export const observeBlocks = (registry: Registry, pool: Pool, clock: () => number): void => {
  // A scrape collects all gauges at once; they share one query.
  let counting: Promise<BlockDays> | undefined;
  const count = () =>
    (counting ??= countBlockDays(pool, new Date(clock())).finally(() => {
      counting = undefined;
    }));
  const gauge = (name: string, help: string, figure: keyof BlockDays) =>
    new Gauge({
      // The figure comes from the database and is the same in every worker.
      aggregator: 'max',
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await count())[figure]);
      },
    });
  gauge('ddp_block_days', 'Days of a product whose records are in blocks.', 'blocked');
  gauge('ddp_block_days_alone', 'Days of a product whose records are only in blocks.', 'alone');
  gauge('ddp_block_days_waiting', 'Finished days of a product whose blocks are to be made.', 'waiting');
  gauge('ddp_block_days_faulty', 'Days of a product whose records cannot be in blocks.', 'faulty');
};
