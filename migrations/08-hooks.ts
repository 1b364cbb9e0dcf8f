import { Migration } from '@mikro-orm/migrations';

/** Hooks, and the state that the dispatcher keeps of each hook. */
export class Hooks extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Addresses that are called for events of an application.
      create table hook (
        id uuid primary key,
        organization_id uuid not null,
        application_id uuid not null,
        url text not null,
        -- Passwords, header values and signing secrets are encrypted (src/calls/vault.ts).
        basic_user text,
        basic_pass text,
        header_name text,
        header_value text,
        signing_secret text,
        previous_signing_secret text,
        previous_signing_secret_until timestamptz(3),
        allow_unverified_ssl_cert boolean not null default false,
        disabled boolean not null default false,
        disabled_at timestamptz(3),
        disabled_reason text,
        concurrency integer not null default 8 check (concurrency between 1 and 64),
        max_per_second double precision check (max_per_second > 0),
        ordered boolean not null default false,
        filter jsonb,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        -- Set when the filter was switched off because its query kept running out of time.
        filter_disabled_at timestamptz(3),
        filter_disabled_reason text,
        -- Kinds of events that the hook is called for.
        events text[] not null default '{record}',
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
        check ((basic_user is null) = (basic_pass is null)),
        check ((header_name is null) = (header_value is null))
      );

      -- The columns of a hook that claims and calls change. A separate table, so that these changes and changes of the
      -- hook do not wait for each other.
      create table hook_state (
        hook_id uuid primary key references hook on delete cascade,
        -- Counts claims. A claim that read another number lost the race for this hook (src/hooks/claim.ts).
        claims bigint not null default 0,
        failures_in_row integer not null default 0,
        failing_since timestamptz(3),
        last_failure_at timestamptz(3),
        circuit_openings integer not null default 0,
        circuit_until timestamptz(3),
        -- Time at which the hook was enabled. Deliveries that had waited longer than 7 days by then have ended.
        resumed_at timestamptz(3),
        -- Token bucket: the number of calls that max_per_second allows at the time tokens_at.
        tokens double precision not null default 0,
        tokens_at timestamptz(3),
        -- The lane after which the next claim for an ordered hook begins. A claim reads only some of thousands of
        -- lanes.
        lane_after uuid not null default '00000000-0000-0000-0000-000000000000',
        -- Successive transactions in which the filter's query ran out of time.
        filter_timeouts integer not null default 0
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

      -- Deleted hooks whose deliveries are still to be deleted.
      create table deleted_hook (
        hook_id uuid primary key,
        deleted_at timestamptz(3) not null default clock_timestamp()
      );

      -- The hooks of an application.
      create index hook_application on hook (application_id);
      -- Hooks that are called for events other than records.
      create index hook_events on hook (organization_id) where events <> '{record}';

      -- See product.organization_id.
      alter table hook alter column application_id set (n_distinct = 100);
    `);
  }
}
