import { Migration } from '@mikro-orm/migrations';

/** What organizations use, by day, and how much they may. */
export class Usage extends Migration {
  override up(): void {
    this.addSql(`
      -- A queue: each transaction that stores adds rows, so that none waits for another; upkeep adds them up.
      create table usage_delta (
        id bigint generated always as identity primary key,
        at timestamptz not null,
        organization_id uuid not null,
        product_id uuid,
        application_id uuid,
        records int not null default 0,
        bytes bigint not null default 0,
        deliveries int not null default 0,
        calls int not null default 0,
        device_ids uuid[],
        device_records int[],
        device_bytes bigint[]
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
      comment on column usage_delta.application_id is 'Of deliveries; records count for the applications that their devices are linked to.';
      alter table usage_delta alter column device_ids set storage external;

      create table usage_day (
        organization_id uuid not null references account on delete cascade,
        day date not null,
        -- Neither: the organization as a whole. No foreign keys: what is deleted was used all the same.
        product_id uuid,
        application_id uuid,
        records bigint not null,
        bytes bigint not null,
        deliveries bigint not null,
        calls bigint not null,
        unique nulls not distinct (organization_id, day, product_id, application_id),
        check (product_id is null or application_id is null)
      ) with (fillfactor = 70);
      create index usage_day_organization on usage_day (organization_id, day) include (records, bytes)
        where product_id is null and application_id is null;

      create view usage_pending as
      select d.id as delta_id, (d.at at time zone 'UTC')::date as day, d.organization_id, of.*
        from usage_delta d cross join lateral (
          select null::uuid as product_id, null::uuid as application_id, d.records::bigint as records, d.bytes, d.deliveries, d.calls
          union all
          select d.product_id, null, d.records, d.bytes, d.deliveries, 0 where d.product_id is not null
          union all
          select null, d.application_id, 0, 0, d.deliveries, 0 where d.application_id is not null
          union all
          select null, l.application_id, sum(n.records), sum(n.bytes), 0, 0
            from unnest(d.device_ids, d.device_records, d.device_bytes) n (device_id, records, bytes)
            join application_device l on l.device_id = n.device_id group by l.application_id) of;
      comment on view usage_pending is 'Rows of usage_delta, as they will be added to usage_day.';

      create table quota (
        organization_id uuid primary key references account on delete cascade,
        records_per_day bigint check (records_per_day >= 0),
        devices bigint check (devices >= 0),
        stored_bytes bigint check (stored_bytes >= 0)
      );

      create table storage (
        organization_id uuid primary key references account on delete cascade,
        records bigint,
        bytes bigint,
        total_bytes bigint,
        measured_at timestamptz(3) not null default '-infinity'
      );
      comment on table storage is 'Records that organizations with a quota of stored bytes have, as last counted.';
      comment on column storage.total_bytes is 'Bytes that had ever been stored by then: what was stored since is on top.';

      -- However devices are registered, each statement is checked. The lock makes who registers at the same time count afterwards.
      create function quota_devices() returns trigger language plpgsql as $$
      begin
        perform from quota q
         where q.devices is not null and q.organization_id in (select organization_id from registered)
         order by q.organization_id for update;
        if found and exists (
          select from quota q
           where q.devices is not null and q.organization_id in (select organization_id from registered)
             and (select count(*) from device d where d.organization_id = q.organization_id) > q.devices)
        then
          raise exception 'more devices than the quota allows' using errcode = 'check_violation', constraint = 'quota_devices';
        end if;
        return null;
      end $$;
      create trigger quota_devices after insert on device referencing new table as registered
        for each statement execute function quota_devices();
    `);
  }
}
