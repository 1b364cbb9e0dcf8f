import { Migration } from '@mikro-orm/migrations';

/** Alert rules, their state for each device, episodes, and events that hooks are called for. */
export class Alerts extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Conditions of an application's devices that open an episode.
      create table alert_rule (
        id uuid primary key,
        organization_id uuid not null,
        application_id uuid not null,
        name text not null,
        severity text not null check (severity in ('info', 'warning', 'critical')),
        kind text not null check (kind in ('threshold', 'silence')),
        products text[] not null default '{}',
        tags text[] not null default '{}',
        -- Counts changes of the columns below. A state of another version is ignored.
        version int not null default 1,
        when_condition jsonb,
        until_condition jsonb,
        for_seconds double precision not null default 0,
        max_gap_seconds double precision not null default 3600,
        close_after_seconds double precision,
        silent_for_seconds double precision,
        variable text,
        disabled boolean not null default false,
        disabled_at timestamptz(3),
        disabled_reason text,
        timeouts int not null default 0,
        timed_out_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        recipients text[] not null default '{}',
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
        check ((kind = 'threshold') = (when_condition is not null)),
        check ((kind = 'silence') = (silent_for_seconds is not null))
      );

      -- Devices under a rule, with the time of their newest record. Transactions that store records of the same device
      -- wait for each other at its row.
      create table alert_device (
        device_id uuid primary key,
        ts timestamptz not null,
        -- Value of the time before the transaction that last wrote the row.
        previous_ts timestamptz,
        arrived_at timestamptz(3) not null
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

      -- The state of a rule for a device.
      create table alert_state (
        rule_id uuid not null references alert_rule on delete cascade,
        application_id uuid not null,
        device_id uuid not null,
        since timestamptz,
        held_at timestamptz,
        episode_id uuid,
        -- When the clock of a silence rule began, and when its variable last arrived.
        started_at timestamptz(3) not null,
        arrived_at timestamptz(3),
        due_at timestamptz(3),
        primary key (device_id, rule_id),
        foreign key (application_id, device_id) references application_device on delete cascade
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

      -- Times during which a rule's condition held for a device. They outlive rule and device.
      create table episode (
        id uuid primary key,
        organization_id uuid not null,
        application_id uuid not null,
        rule_id uuid not null,
        rule_name text not null,
        severity text not null,
        device_id uuid not null,
        opened_at timestamptz not null,
        opened_by json,
        closed_at timestamptz,
        closed_by json,
        closed_reason text,
        acknowledged_at timestamptz(3),
        acknowledged_by uuid,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        -- The rule's recipients when the episode opened. They are notified of its end even if the rule is deleted.
        recipients text[] not null default '{}',
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
        check ((closed_at is null) = (closed_reason is null))
      );

      -- Closed episodes for which hooks have yet to be called. Triggers insert the rows, and a background task creates
      -- the deliveries.
      create table alert_notice (
        episode_id uuid primary key references episode on delete cascade
      );

      -- Other events for which hooks have yet to be called. Triggers insert a row if a hook has chosen the kind of
      -- event, and a background task creates the deliveries.
      create table event_notice (
        id bigint generated always as identity primary key,
        kind text not null,
        organization_id uuid not null,
        -- Null stands for the hooks of all applications of the organization.
        application_id uuid,
        -- The hook that the event is about, which is not called for it.
        hook_id uuid,
        at timestamptz(3) not null default clock_timestamp(),
        subject json not null
      );

      -- Time at which a process last accepted records. The table has one row.
      create table alert_heartbeat (
        one boolean primary key default true check (one),
        at timestamptz(3) not null
      );

      -- Times during which no process accepted records. They do not count as silence of devices.
      create table alert_outage (
        begun_at timestamptz(3) primary key,
        ended_at timestamptz(3) not null
      );

      -- The rules of an application.
      create index alert_rule_application on alert_rule (organization_id, application_id);
      -- The states of a rule and of a link, and silence rules that are due.
      create index alert_state_rule on alert_state (rule_id);
      create index alert_state_link on alert_state (application_id, device_id);
      create index alert_state_due on alert_state (due_at) where due_at is not null;
      -- One open episode of a rule for a device.
      create unique index episode_open on episode (rule_id, device_id) where closed_at is null;
      -- Pages of an application's episodes: all, open, not acknowledged, and changed since a time.
      create index episode_application on episode (application_id, id);
      create index episode_application_open on episode (application_id, id) where closed_at is null;
      create index episode_application_new on episode (application_id, id) where acknowledged_at is null;
      create index episode_application_changed on episode (application_id, updated_at);
      -- Closed episodes that have expired.
      create index episode_closed on episode (updated_at) where closed_at is not null;
      -- The episodes of a device.
      create index episode_device on episode (device_id, id);

      -- Whether a rule with these products and tags is about a device.
      create function alert_applies(products text[], tags text[], product_id uuid, device_tags text[])
        returns boolean language sql immutable as $$
          select (cardinality(products) = 0 or coalesce(product_id::text = any(products), false))
             and (cardinality(tags) = 0 or tags && device_tags)
        $$;

      -- Starts the clock of silence rules for devices that are linked.
      create function alert_watch_links() returns trigger language plpgsql as $$
        begin
          insert into alert_state (rule_id, application_id, device_id, started_at, due_at)
          select r.id, l.application_id, l.device_id, clock_timestamp(),
                 clock_timestamp() + make_interval(secs => r.silent_for_seconds)
            from linked l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
            join device d on d.id = l.device_id
           where r.kind = 'silence' and not r.disabled and alert_applies(r.products, r.tags, d.product_id, d.tags)
           order by l.device_id, r.id
              on conflict do nothing;
          return null;
        end $$;
      create trigger alert_link after insert on application_device
        referencing new table as linked for each statement execute function alert_watch_links();

      -- Ends the states of rules that no longer apply to a changed device, and starts those of rules that now apply to
      -- it.
      create function alert_watch_device() returns trigger language plpgsql as $$
        begin
          delete from alert_state s using alert_rule r
           where s.device_id = new.id and r.id = s.rule_id
             and not alert_applies(r.products, r.tags, new.product_id, new.tags);
          insert into alert_state (rule_id, application_id, device_id, started_at, due_at)
          select r.id, l.application_id, l.device_id, clock_timestamp(),
                 clock_timestamp() + make_interval(secs => r.silent_for_seconds)
            from application_device l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
           where l.device_id = new.id and r.kind = 'silence' and not r.disabled
             and alert_applies(r.products, r.tags, new.product_id, new.tags)
           order by r.id
              on conflict do nothing;
          return null;
        end $$;
      create trigger alert_change after update of tags, product_id on device
        for each row when (new.tags is distinct from old.tags or new.product_id is distinct from old.product_id)
        execute function alert_watch_device();

      -- Closes the episode of a state that ends, in the same transaction, and finds the reason: an unlinked device, or a
      -- rule that was changed, disabled or deleted.
      create function alert_close() returns trigger language plpgsql as $$
        declare reason text;
        begin
          if not exists (select from application_device l where l.application_id = old.application_id and l.device_id = old.device_id) then
            reason := case when exists (select from device d where d.id = old.device_id) then 'unlinked' else 'deviceDeleted' end;
          else
            select case when r.disabled then 'disabled'
                        when not alert_applies(r.products, r.tags, d.product_id, d.tags) then 'moved'
                        else 'ruleChanged' end
              into reason from alert_rule r join device d on d.id = old.device_id where r.id = old.rule_id;
            reason := coalesce(reason, 'ruleDeleted');
          end if;
          update episode set closed_at = clock_timestamp(), closed_reason = reason, updated_at = clock_timestamp()
           where id = old.episode_id and closed_at is null;
          if found then insert into alert_notice (episode_id) values (old.episode_id) on conflict do nothing; end if;
          return null;
        end $$;
      create trigger alert_close after delete on alert_state
        for each row when (old.episode_id is not null) execute function alert_close();

      -- Notes devices that are registered or deleted. A trigger does it, because imports, provisioning and jobs also
      -- register and delete devices.
      create function event_devices() returns trigger language plpgsql as $$
        begin
          insert into event_notice (kind, organization_id, subject)
          select tg_argv[0], c.organization_id, json_strip_nulls(json_build_object('id', c.id, 'serial', c.serial, 'name', c.name,
                   'organizationId', c.organization_id))
            from changed c
           where exists (select from hook h where h.organization_id = c.organization_id and h.events <> '{record}'
                                              and tg_argv[0] = any(h.events))
           order by c.id;
          return null;
        end $$;
      create trigger event_registered after insert on device
        referencing new table as changed for each statement execute function event_devices('device.registered');
      create trigger event_deleted after delete on device
        referencing old table as changed for each statement execute function event_devices('device.deleted');

      -- Notes hooks that are disabled, by a call or by the dispatcher.
      create function event_hook() returns trigger language plpgsql as $$
        begin
          insert into event_notice (kind, organization_id, application_id, hook_id, subject)
          select 'hook.disabled', new.organization_id, new.application_id, new.id,
                 json_strip_nulls(json_build_object('id', new.id, 'disabledReason', new.disabled_reason))
           where exists (select from hook h where h.organization_id = new.organization_id and h.events <> '{record}'
                            and h.application_id = new.application_id and h.id <> new.id and 'hook.disabled' = any(h.events));
          return null;
        end $$;
      create trigger event_disabled after update of disabled on hook
        for each row when (new.disabled and not old.disabled) execute function event_hook();
    `);
  }
}
