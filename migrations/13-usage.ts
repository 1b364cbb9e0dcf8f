import { Migration } from '@mikro-orm/migrations';

/** Usage of organizations by day, and their quotas. */
export class Usage extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- A queue of usage that upkeep adds to usage_day. Transactions that store records only append rows, so that none
      -- waits for another.
      create table usage_delta (
        id bigint generated always as identity primary key,
        at timestamptz not null,
        organization_id uuid not null,
        product_id uuid,
        -- The application, for deliveries only. Records count for every application that their device is linked to.
        application_id uuid,
        records int not null default 0,
        bytes bigint not null default 0,
        deliveries int not null default 0,
        calls int not null default 0,
        device_ids uuid[],
        device_records int[],
        device_bytes bigint[]
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
      alter table usage_delta alter column device_ids set storage external;

      -- Usage of an organization, a product or an application on a day. There are no foreign keys to products and
      -- applications, because the usage of deleted ones still counts.
      create table usage_day (
        organization_id uuid not null references account on delete cascade,
        day date not null,
        -- Both null: the whole organization.
        product_id uuid,
        application_id uuid,
        records bigint not null,
        bytes bigint not null,
        deliveries bigint not null,
        calls bigint not null,
        unique nulls not distinct (organization_id, day, product_id, application_id),
        check (product_id is null or application_id is null)
      ) with (fillfactor = 70);

      -- Rows of usage_delta, in the form in which they are added to usage_day.
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

      -- Limits of organizations. Null: no limit.
      create table quota (
        organization_id uuid primary key references account on delete cascade,
        records_per_day bigint check (records_per_day >= 0),
        devices bigint check (devices >= 0),
        stored_bytes bigint check (stored_bytes >= 0)
      );

      -- Records of organizations with a quota of stored bytes, as last counted.
      create table storage (
        organization_id uuid primary key references account on delete cascade,
        records bigint,
        bytes bigint,
        -- Number of bytes stored in total up to the time of the count. Bytes stored since then are added to it.
        total_bytes bigint,
        measured_at timestamptz(3) not null default '-infinity'
      );

      -- Number of a day's records that processes have stored or may store. All claims together do not exceed the quota.
      create table quota_claim (
        organization_id uuid primary key references account on delete cascade,
        day date not null,
        claimed bigint not null,
        -- Number of records that the last claim was granted.
        granted bigint not null default 0,
        -- When a process last claimed records, returned some, or reported that it holds some.
        touched_at timestamptz(3) not null
      );

      -- Totals of an organization by day.
      create index usage_day_organization on usage_day (organization_id, day) include (records, bytes)
        where product_id is null and application_id is null;

      -- Refuses devices beyond the quota, for each statement that registers some. The lock makes concurrent
      -- registrations count one after the other.
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
