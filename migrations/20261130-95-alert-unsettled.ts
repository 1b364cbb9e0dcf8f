import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Alert rules about devices whose desired state is not reported. */
export class AlertUnsettled extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'alert_rule',
      `
      alter table alert_rule add column if not exists unsettled_for_seconds double precision;
      -- The one name of the state that the rule watches. Null: every name.
      alter table alert_rule add column if not exists state_name text;
      alter table alert_rule drop constraint if exists alert_rule_kind_check;
      alter table alert_rule add constraint alert_rule_kind_check check (kind in ('threshold', 'silence', 'unsettled')) not valid;
      alter table alert_rule drop constraint if exists alert_rule_unsettled_check;
      alter table alert_rule add constraint alert_rule_unsettled_check
        check ((kind = 'unsettled') = (unsettled_for_seconds is not null)) not valid`,
    );
    await steps.validate('alert_rule', 'alert_rule_kind_check');
    await steps.validate('alert_rule', 'alert_rule_unsettled_check');
    // The parts of the state that the device had not reported when the episode opened.
    await steps.locked('episode', 'alter table episode add column if not exists opened_state json');
    await steps.index({
      name: 'alert_rule_unsettled',
      table: 'alert_rule',
      definition: `(application_id) where kind = 'unsettled' and not disabled`,
    });
    await steps.locked('device_state', functions);
  }
}

const functions = `
  -- When the oldest desired value was set that a device has not reported; null if there is none.
  create or replace function state_unsettled_since(device uuid, name text) returns timestamptz language sql stable as $$
    select min(s.desired_at) from device_state s
     where s.device_id = device and s.desired is not null and s.settled_version <> s.desired_version
       and (state_unsettled_since.name is null or s.name = state_unsettled_since.name)
  $$;

  -- The times that the state of a rule for a device begins with, from now on; no row if it has none yet.
  create or replace function alert_begin(rule alert_rule, device uuid)
    returns table (begun_at timestamptz, since timestamptz, due_at timestamptz) language sql stable as $$
    select b.at, case when rule.kind = 'unsettled' then b.at end,
           b.at + make_interval(secs => coalesce(rule.silent_for_seconds, rule.unsettled_for_seconds))
      from (select clock_timestamp() at) b
     where not rule.disabled
       and (rule.kind = 'silence' or rule.kind = 'unsettled' and state_unsettled_since(device, rule.state_name) is not null)
  $$;

  -- Locks devices against changes of their desired state, so that a rule that begins to watch one and a change of its
  -- state see each other.
  create or replace function alert_lock_states(application uuid, devices uuid[]) returns void language plpgsql as $$
    begin
      if exists (select from alert_rule r where r.application_id = application and r.kind = 'unsettled' and not r.disabled) then
        perform from device d where d.id = any(devices) order by d.id for share;
      end if;
    end $$;

  create or replace function alert_watch_links() returns trigger language plpgsql as $$
    begin
      perform alert_lock_states(l.application_id, array_agg(l.device_id)) from linked l group by l.application_id;
      insert into alert_state (rule_id, application_id, device_id, started_at, since, due_at)
      select r.id, l.application_id, l.device_id, b.begun_at, b.since, b.due_at
        from linked l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
        join device d on d.id = l.device_id cross join lateral alert_begin(r, d.id) b
       where alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id)
       order by l.device_id, r.id
          on conflict do nothing;
      return null;
    end $$;

  create or replace function alert_watch_again(device uuid) returns void language plpgsql as $$
    begin
      perform alert_lock_states(l.application_id, array[device]) from application_device l where l.device_id = device;
      delete from alert_state s using alert_rule r, device d
       where s.device_id = device and r.id = s.rule_id and d.id = device
         and not alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id);
      insert into alert_state (rule_id, application_id, device_id, started_at, since, due_at)
      select r.id, l.application_id, l.device_id, b.begun_at, b.since, b.due_at
        from application_device l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
        join device d on d.id = l.device_id cross join lateral alert_begin(r, d.id) b
       where l.device_id = device and alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id)
       order by r.id
          on conflict do nothing;
    end $$;

  -- Follows changes of the state of a device: its clocks begin with the oldest desired value that it has not reported,
  -- and its episodes close once there is none. The states of rules carry all that the poll decides on, which locks them.
  create or replace function alert_follow_state(device uuid) returns void language plpgsql as $$
    declare settled uuid[];
    begin
      -- Unlinking locks the links first, and then the states.
      perform from application_device l where l.device_id = device order by l.application_id for key share;
      perform from alert_state s join alert_rule r on r.id = s.rule_id
        where s.device_id = device and r.kind = 'unsettled' order by s.rule_id for update of s;
      insert into alert_state as s (rule_id, application_id, device_id, started_at, since, due_at)
      select r.id, l.application_id, device, u.since, u.since, u.since + make_interval(secs => r.unsettled_for_seconds)
        from application_device l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
        join device d on d.id = l.device_id cross join lateral (select state_unsettled_since(d.id, r.state_name) since) u
       where l.device_id = device and r.kind = 'unsettled' and not r.disabled and u.since is not null
         and alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id)
       order by r.id
          on conflict (device_id, rule_id) do update
         set since = greatest(excluded.since, s.started_at),
             due_at = case when s.episode_id is null
               then greatest(excluded.since, s.started_at) + (excluded.due_at - excluded.since) end
       where s.since is distinct from greatest(excluded.since, s.started_at);
      settled := array(
        select s.rule_id from alert_state s join alert_rule r on r.id = s.rule_id
         where s.device_id = device and r.kind = 'unsettled' and state_unsettled_since(device, r.state_name) is null);
      with closed as (
        update episode e set closed_at = clock_timestamp(), closed_reason = 'settled', updated_at = clock_timestamp()
          from alert_state s where s.device_id = device and s.rule_id = any(settled) and e.id = s.episode_id and e.closed_at is null
        returning e.id)
      insert into alert_notice (episode_id) select id from closed order by id on conflict do nothing;
      delete from alert_state s where s.device_id = device and s.rule_id = any(settled);
    end $$;

  create or replace function alert_state_set() returns trigger language plpgsql as $$
    declare device uuid;
    begin
      for device in
        select distinct c.device_id from changed c
         where c.desired is not null and c.settled_version <> c.desired_version and exists (
           select from application_device l join alert_rule r on r.application_id = l.application_id
            where l.device_id = c.device_id and r.kind = 'unsettled' and not r.disabled) order by 1
      loop perform alert_follow_state(device); end loop;
      return null;
    end $$;
  create or replace trigger alert_state_set after insert on device_state
    referencing new table as changed for each statement execute function alert_state_set();

  create or replace function alert_state_changed() returns trigger language plpgsql as $$
    declare device uuid;
    begin
      for device in
        select distinct c.device_id from changed c join former f on f.device_id = c.device_id and f.name = c.name
         where (c.desired_version, c.settled_version, c.desired is null) <> (f.desired_version, f.settled_version, f.desired is null)
           and exists (
             select from application_device l join alert_rule r on r.application_id = l.application_id
              where l.device_id = c.device_id and r.kind = 'unsettled' and not r.disabled) order by 1
      loop perform alert_follow_state(device); end loop;
      return null;
    end $$;
  create or replace trigger alert_state_changed after update on device_state
    referencing old table as former new table as changed for each statement execute function alert_state_changed()`;
