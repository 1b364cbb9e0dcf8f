import { Migration } from '@mikro-orm/migrations';

/** Devices with commands that are on their way to a network server. */
export class CommandPushes extends Migration {
  override up(): void {
    this.addSql(`
      create table network_server_state (
        server_id uuid primary key references network_server on delete cascade,
        -- Raised by each claim: see downlink/network/push-rows.ts.
        claims bigint not null default 0,
        failures_in_row integer not null default 0,
        circuit_openings integer not null default 0,
        circuit_until timestamptz
      );

      -- A device with commands that wait for its network server. Without a reference to the server: a call that was
      -- begun is settled also after its server is deleted.
      create table command_push (
        device_id uuid primary key,
        organization_id uuid not null,
        server_id uuid not null,
        next_attempt_at timestamptz not null default clock_timestamp(),
        -- Raised when there may be another command, so that nobody deletes the row who has not seen it.
        wanted integer not null default 0,
        claim_id uuid,
        locked_until timestamptz,
        -- Command of the last call.
        command_id uuid,
        -- Whether that call may have been made, and its outcome is not settled.
        begun boolean not null default false,
        attempts integer not null default 0,
        -- Evidence about items of the server's queue that came before the answer with the identifier of the item.
        early json[] not null default '{}',
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade
      );
      create index command_push_due on command_push (server_id, next_attempt_at) where claim_id is null;
      create index command_push_claimed on command_push (server_id) where claim_id is not null;
      create index command_push_lease on command_push (locked_until) where claim_id is not null;

      -- Identifiers that network servers gave to commands in their queues.
      create table command_item (
        organization_id uuid not null,
        item text not null,
        command_id uuid not null references command (id) on delete cascade,
        primary key (organization_id, item)
      );
      create index command_item_command on command_item (command_id);

      -- Plans to push the waiting commands of devices that have a network server.
      create function push_commands(devices uuid[]) returns void language sql as $function$
        insert into command_push (device_id, organization_id, server_id)
        select r.device_id, r.organization_id, s.id
          from device_road r join network_server s
            on s.organization_id = r.organization_id and s.kind = r.kind and s.application = r.application and not s.proposed
         where r.device_id = any(devices)
           and exists (select from command c where c.device_id = r.device_id and c.open and c.state = 'waiting')
         order by r.device_id
        on conflict (device_id) do update set wanted = command_push.wanted + 1,
           server_id = case when command_push.begun then command_push.server_id else excluded.server_id end
      $function$;

      create function command_sent() returns trigger language plpgsql as $function$
      begin
        if exists (select from fresh f join device_road r on r.device_id = f.device_id) then
          perform push_commands(array(select distinct device_id from fresh));
        end if;
        return null;
      end $function$;
      create trigger command_sent after insert on command referencing new table as fresh
        for each statement execute function command_sent();

      create function device_road_changed() returns trigger language plpgsql as $function$
      begin
        perform push_commands(array[new.device_id]);
        return null;
      end $function$;
      create trigger device_road_changed after insert or update on device_road
        for each row execute function device_road_changed();

      create function network_server_changed() returns trigger language plpgsql as $function$
      begin
        if new.proposed then return null; end if;
        insert into network_server_state (server_id) values (new.id) on conflict (server_id) do update
           set failures_in_row = 0, circuit_openings = 0, circuit_until = null;
        -- What waits for a further attempt may succeed now.
        update command_push set next_attempt_at = clock_timestamp() where server_id = new.id and claim_id is null;
        perform push_commands(array(
          select r.device_id from device_road r
           where r.organization_id = new.organization_id and r.kind = new.kind and r.application = new.application));
        return null;
      end $function$;
      create trigger network_server_changed after insert or update on network_server
        for each row execute function network_server_changed();
      insert into network_server_state (server_id) select id from network_server where not proposed;
    `);
  }
}
