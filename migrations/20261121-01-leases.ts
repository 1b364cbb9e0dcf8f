import { Migration } from '@mikro-orm/migrations';

/**
 * What is being called is a lease in a table of its own, no longer a state of the delivery: a claim writes a few bytes
 * for each delivery instead of its whole row and the entries of its indexes.
 */
export class Leases extends Migration {
  override up(): void {
    this.addSql(`
      create table delivery_lease (
        hook_id uuid not null,
        id uuid not null,
        claim_id uuid not null,
        locked_until timestamptz(3) not null,
        -- Pings are called outside their hook's cap.
        ping boolean not null default false,
        primary key (hook_id, id)
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
    `);
    this.addSql(`
      drop index delivery_due, delivery_ping, delivery_running;
      update delivery set state = 'pending' where state = 'running';
      alter table delivery drop constraint delivery_state_check, drop column claim_id, drop column locked_until;
      alter table delivery add constraint delivery_state_check check (state in ('pending', 'succeeded', 'failed'));
      -- All that is in it waits, or is being called.
      create index delivery_due on delivery_open (hook_id, next_attempt_at) where event = 'record';
      create index delivery_ping on delivery_open (next_attempt_at) where event = 'ping';
      -- The ledger of a device, and what did not succeed among all that did.
      create index delivery_device on delivery_done (hook_id, device_id, id);
      create index delivery_failed on delivery_done (hook_id, id) where state <> 'succeeded';
    `);
  }
}
