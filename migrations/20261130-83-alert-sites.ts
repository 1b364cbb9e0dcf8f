import { Migration } from '@mikro-orm/migrations';

/** Sites in the scope of alert rules: a rule watches the devices that are at one of them now, or below it. */
export class AlertSites extends Migration {
  override up(): void {
    this.addSql(`
      alter table alert_rule add column sites text[] not null default '{}';

      -- Whether a rule with these products, tags and sites is about a device.
      create function alert_applies(products text[], tags text[], sites text[], product_id uuid, device_tags text[], device uuid)
        returns boolean language sql stable as $$
          select alert_applies(products, tags, product_id, device_tags) and (cardinality(sites) = 0 or exists (
            select from device_site ds join site s on s.id = ds.site_id
             where ds.device_id = device and ds.ended_at is null and s.path::text[] && sites))
        $$;

      create or replace function alert_watch_links() returns trigger language plpgsql as $$
        begin
          insert into alert_state (rule_id, application_id, device_id, started_at, due_at)
          select r.id, l.application_id, l.device_id, clock_timestamp(),
                 clock_timestamp() + make_interval(secs => r.silent_for_seconds)
            from linked l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
            join device d on d.id = l.device_id
           where r.kind = 'silence' and not r.disabled
             and alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id)
           order by l.device_id, r.id
              on conflict do nothing;
          return null;
        end $$;

      -- Ends the states of rules that no longer apply to a device, and starts those of rules that now apply to it.
      create function alert_watch_again(device uuid) returns void language plpgsql as $$
        begin
          delete from alert_state s using alert_rule r, device d
           where s.device_id = device and r.id = s.rule_id and d.id = device
             and not alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id);
          insert into alert_state (rule_id, application_id, device_id, started_at, due_at)
          select r.id, l.application_id, l.device_id, clock_timestamp(),
                 clock_timestamp() + make_interval(secs => r.silent_for_seconds)
            from application_device l join alert_rule r on r.application_id = l.application_id and r.organization_id = l.organization_id
            join device d on d.id = l.device_id
           where l.device_id = device and r.kind = 'silence' and not r.disabled
             and alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id)
           order by r.id
              on conflict do nothing;
        end $$;

      create or replace function alert_watch_device() returns trigger language plpgsql as $$
        begin
          perform alert_watch_again(new.id);
          return null;
        end $$;

      -- A device that moves is at no site between two statements of its transaction, so the triggers wait for its end.
      create function alert_watch_move() returns trigger language plpgsql as $$
        declare moved device_site := coalesce(new, old);
        begin
          if exists (select from alert_rule r where r.organization_id = moved.organization_id and r.sites <> '{}') then
            perform alert_watch_again(moved.device_id);
          end if;
          return null;
        end $$;
      create constraint trigger alert_move after insert or update or delete on device_site
        deferrable initially deferred for each row execute function alert_watch_move();

      create function alert_watch_tree() returns trigger language plpgsql as $$
        begin
          if exists (select from alert_rule r where r.organization_id = new.organization_id and r.sites <> '{}') then
            perform alert_watch_again(ds.device_id) from device_site ds
              where ds.site_id = new.id and ds.ended_at is null order by ds.device_id;
          end if;
          return null;
        end $$;
      create constraint trigger alert_move after update of path on site
        deferrable initially deferred for each row when (new.path is distinct from old.path) execute function alert_watch_tree();

      create or replace function alert_close() returns trigger language plpgsql as $$
        declare reason text;
        begin
          if not exists (select from application_device l where l.application_id = old.application_id and l.device_id = old.device_id) then
            reason := case when exists (select from device d where d.id = old.device_id) then 'unlinked' else 'deviceDeleted' end;
          else
            select case when r.disabled then 'disabled'
                        when not alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id) then 'moved'
                        else 'ruleChanged' end
              into reason from alert_rule r join device d on d.id = old.device_id where r.id = old.rule_id;
            reason := coalesce(reason, 'ruleDeleted');
          end if;
          update episode set closed_at = clock_timestamp(), closed_reason = reason, updated_at = clock_timestamp()
           where id = old.episode_id and closed_at is null;
          if found then insert into alert_notice (episode_id) values (old.episode_id) on conflict do nothing; end if;
          return null;
        end $$;
    `);
  }
}
