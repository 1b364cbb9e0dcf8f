import { Migration } from '@mikro-orm/migrations';

/** Notes changes of commands and of desired state for the hooks that chose these events. */
export class CommandEvents extends Migration {
  override up(): void {
    this.addSql(`
      -- Notes an event about a device for each of its applications with a hook that chose the kind.
      create function event_of_device(kind text, device uuid, at timestamptz, subject json) returns void
      language sql as $$
        insert into event_notice (kind, organization_id, application_id, at, subject)
        select event_of_device.kind, l.organization_id, l.application_id, event_of_device.at,
               json_build_object('about', subject, 'device',
                 json_build_object('id', d.id, 'serial', d.serial, 'name', nullif(d.name, ''), 'organizationId', d.organization_id))
          from application_device l join device d on d.id = l.device_id
         where l.device_id = event_of_device.device
           and exists (select from hook h where h.organization_id = l.organization_id and h.application_id = l.application_id
                          and h.events <> '{record}' and event_of_device.kind = any(h.events) and not h.disabled)
         order by l.application_id
      $$;

      create function event_command() returns trigger language plpgsql as $$
        begin
          perform event_of_device('command.updated', new.device_id, new.state_at, json_build_object(
            'id', new.id, 'name', new.name, 'state', new.state, 'code', new.code, 'previousState', old.state,
            'stateAt', extract(epoch from new.state_at)::float8, 'detail', new.detail,
            'parameters', case when not new.secret then new.parameters end,
            'payload', case when not new.secret then encode(new.payload, 'hex') end,
            'streamId', new.stream_id, 'key', new.key, 'sender', new.sender,
            'createdAt', extract(epoch from new.created_at)::float8,
            'expiresAt', extract(epoch from new.expires_at)::float8));
          return null;
        end $$;
      create trigger event_command after update of state on command
        for each row when (old.state <> new.state) execute function event_command();

      create function event_state() returns trigger language plpgsql as $$
        begin
          perform event_of_device('state.diverged', new.device_id, new.desired_at, json_build_object(
            'name', new.name, 'desired', new.desired, 'version', new.desired_version,
            'desiredAt', extract(epoch from new.desired_at)::float8,
            'reported', new.reported, 'reportedAt', extract(epoch from new.reported_at)::float8));
          return null;
        end $$;
      create trigger event_state_desired after insert on device_state
        for each row when (new.desired is not null and new.settled_version <> new.desired_version)
        execute function event_state();
      create trigger event_state_changed after update of desired_version on device_state
        for each row when (new.desired is not null and new.settled_version <> new.desired_version
                           and old.desired_version <> new.desired_version)
        execute function event_state();
    `);
  }
}
