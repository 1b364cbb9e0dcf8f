import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * What is being called is a lease in a table of its own, no longer a state of the delivery: a claim writes a few bytes
 * for each delivery instead of its whole row and the entries of its indexes. What only claims of before need goes in
 * 20261122-98-claims, so that processes of before go on calling until the new ones are about to.
 */
export class Leases extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.run(`
      create table if not exists delivery_lease (
        hook_id uuid not null,
        id uuid not null,
        claim_id uuid not null,
        locked_until timestamptz(3) not null,
        -- Pings are called outside their hook's cap.
        ping boolean not null default false,
        primary key (hook_id, id)
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
    `);
    // All that is in delivery_open waits, or is being called.
    await steps.index({
      name: 'delivery_due',
      table: 'delivery_open',
      definition: `(hook_id, next_attempt_at) where event = 'record'`,
    });
    await steps.index({
      name: 'delivery_ping',
      table: 'delivery_open',
      definition: `(next_attempt_at) where event = 'ping'`,
    });
    // What did not succeed among all that did.
    await steps.index({
      name: 'delivery_failed',
      table: 'delivery_done',
      definition: `(hook_id, id) where state <> 'succeeded'`,
    });
  }
}
