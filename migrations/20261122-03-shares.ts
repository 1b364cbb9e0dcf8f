import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What waits is kept and goes out oldest first; a filter that keeps running out of time is switched off. */
export class Shares extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'hook, hook_state',
      `
      alter table hook
        add column if not exists filter_disabled_at timestamptz(3), add column if not exists filter_disabled_reason text;
      -- Transactions in a row in which the query of the filter ran out of time.
      alter table hook_state add column if not exists filter_timeouts integer not null default 0;
    `,
    );
    // Organizations take turns with their jobs.
    await steps.index({
      name: 'job_turn',
      table: 'job',
      definition: `(organization_id, created_at) where state in ('pending', 'running')`,
    });
    await steps.locked('job', 'drop index if exists job_open');
    await steps.run(`
      create or replace function hook_follow() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into hook_state (hook_id) values (new.id);
        elsif tg_op = 'DELETE' then
          insert into deleted_hook (hook_id) values (old.id) on conflict do nothing;
        elsif old.disabled and not new.disabled then
          update hook_state
             set failures_in_row = 0, failing_since = null, circuit_openings = 0, circuit_until = null,
                 resumed_at = new.updated_at
           where hook_id = new.id;
          -- What waits is claimed by when it is due: all of it is due now, the oldest longest. What is leased is
          -- being called and moves as it is settled.
          update delivery_open d set next_attempt_at = d.queued_at
           where d.hook_id = new.id and d.event = 'record' and d.next_attempt_at > d.queued_at
             and not exists (select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id);
        end if;
        return null;
      end $$;
    `);
    await steps.run(`
      drop function if exists delivery_retire(date);
      -- Drops the partitions of the days before one, and answers their number. What waits is not history: it goes only
      -- with a hook that is disabled, once it has waited since before a moment.
      create or replace function delivery_retire(before date, waiting_since timestamptz) returns integer language plpgsql as $$
      declare
        name text;
        dropped integer := 0;
      begin
        for name in
          select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = 'delivery_done'::regclass and c.relname ~ '^delivery_done_[0-9]{8}$'
             and to_date(right(c.relname, 8), 'YYYYMMDD') < before
        loop
          execute format('drop table %I', name);
          dropped := dropped + 1;
        end loop;
        delete from delivery_done_default where id < delivery_bound(before);
        delete from delivery_open d using hook h
         where h.id = d.hook_id and h.disabled and d.event = 'record' and d.queued_at < waiting_since;
        delete from delivery_open where event = 'ping' and id < delivery_bound(before);
        return dropped;
      end $$;
    `);
  }
}
