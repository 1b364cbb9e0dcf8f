import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Counts the commands that an organization sends, and limits them by a quota of the day. */
export class CommandUsage extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'usage_delta, usage_day, quota',
      `
      alter table usage_delta add column if not exists commands int not null default 0;
      alter table usage_day add column if not exists commands bigint not null default 0;
      alter table quota add column if not exists commands_per_day bigint check (commands_per_day >= 0);

      create or replace view usage_pending as
      select d.id as delta_id, (d.at at time zone 'UTC')::date as day, d.organization_id, of.*
        from usage_delta d cross join lateral (
          select null::uuid as product_id, null::uuid as application_id, d.records::bigint as records, d.bytes, d.deliveries, d.calls, d.commands
          union all
          select d.product_id, null, d.records, d.bytes, d.deliveries, 0, 0 where d.product_id is not null
          union all
          select null, d.application_id, 0, 0, d.deliveries, 0, 0 where d.application_id is not null
          union all
          select null, l.application_id, sum(n.records), sum(n.bytes), 0, 0, 0
            from unnest(d.device_ids, d.device_records, d.device_bytes) n (device_id, records, bytes)
            join application_device l on l.device_id = n.device_id group by l.application_id) of`,
    );
    await steps.index({
      name: 'usage_delta_commands',
      table: 'usage_delta',
      definition: '(organization_id) where commands > 0',
    });
    await steps.locked(
      'command',
      `
      -- Counts new commands, and refuses those beyond the quota of the day. The lock makes organizations with a quota
      -- count one call after the other.
      create or replace function count_commands() returns trigger language plpgsql as $$
        declare
          today date := (clock_timestamp() at time zone 'UTC')::date;
          over record;
        begin
          insert into usage_delta (at, organization_id, commands)
          select clock_timestamp(), s.organization_id, count(*) from sent s group by s.organization_id;
          perform from quota q
           where q.commands_per_day is not null and q.organization_id in (select organization_id from sent)
           order by q.organization_id for update;
          if not found then return null; end if;
          select q.commands_per_day as quota, u.used, n.sent into over
            from quota q
            join (select organization_id, count(*) as sent from sent group by 1) n on n.organization_id = q.organization_id
           cross join lateral (
             select coalesce((select d.commands from usage_day d where d.organization_id = q.organization_id and d.day = today
                                 and d.product_id is null and d.application_id is null), 0)
                  + coalesce((select sum(p.commands) from usage_delta p where p.organization_id = q.organization_id
                                 and p.commands > 0 and (p.at at time zone 'UTC')::date = today), 0) as used) u
           where q.commands_per_day is not null and u.used > q.commands_per_day limit 1;
          if found then
            raise exception 'more commands than the quota allows' using errcode = 'check_violation', constraint = 'quota_commands',
              detail = json_build_object('quota', over.quota, 'left', greatest(0, over.quota - over.used + over.sent), 'items', over.sent,
                'until', to_char(today + 1, 'YYYY-MM-DD"T00:00:00.000Z"'),
                'wait', ceil(extract(epoch from (today + 1)::timestamp - (clock_timestamp() at time zone 'UTC'))));
          end if;
          return null;
        end $$;
      create or replace trigger count_commands after insert on command referencing new table as sent
        for each statement execute function count_commands()`,
    );
  }
}
