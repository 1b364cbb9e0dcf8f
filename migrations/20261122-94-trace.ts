import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * The trace context (W3C `traceparent`) of the request that a delivery follows from: its calls are made later, perhaps by
 * another process, and go on with it. Null, and without a byte, where the request was in no trace.
 */
export class Trace extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked('delivery', 'alter table delivery add column if not exists traceparent text');
  }
}
