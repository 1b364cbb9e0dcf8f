import { Migration } from '@mikro-orm/migrations';

/** Commands to devices with what is known of their fate, and the state that devices should have and report. */
export class Commands extends Migration {
  override up(): void {
    this.addSql(`
      create table command (
        id uuid primary key,
        organization_id uuid not null references account (id) on delete cascade,
        -- Without a reference: commands outlive their device, as deliveries do.
        device_id uuid not null,
        -- Product that declares the command; null for a raw one.
        product_id uuid,
        name text not null,
        -- As text: the order of names and all digits stay.
        parameters json,
        payload bytea,
        stream_id integer,
        stream_type text,
        confirmed boolean not null,
        -- Whether only those who may send it see parameters and payload.
        secret boolean not null,
        key text,
        -- Identifier of the account, and name of the account or token, that sent it.
        sent_by uuid,
        sender text,
        created_at timestamptz not null default clock_timestamp(),
        expires_at timestamptz not null,
        -- What the evidence amounts to: see downlink/evidence.ts.
        state text not null default 'waiting',
        code text,
        detail json,
        state_at timestamptz not null default clock_timestamp(),
        -- Whether something is still to be done: to hand it over, or to say at its expiry that it came to nothing.
        open boolean not null default true,
        -- Time from which a command that was handed over is handed over again; infinity: never.
        again_at timestamptz
      );
      create index command_open on command (device_id, id) where open;
      create index command_expiry on command (expires_at) where open;
      create unique index command_key on command (device_id, key) where key is not null;
      create index command_organization on command (organization_id, id);
      -- The commands of one call to many devices.
      create index command_call on command (organization_id, key) where key is not null;
      create index command_device on command (device_id, id);

      create table command_evidence (
        command_id uuid not null references command (id) on delete cascade,
        id bigint generated always as identity,
        at timestamptz not null default clock_timestamp(),
        source text not null,
        kind text not null,
        code text,
        detail json,
        primary key (command_id, id)
      );

      create table device_state (
        organization_id uuid not null,
        device_id uuid not null,
        name text not null,
        -- Null: nothing is desired.
        desired jsonb,
        desired_version integer not null default 0,
        desired_at timestamptz,
        reported jsonb,
        reported_at timestamptz,
        -- The version of the desired value that the device has reached: it reported that value, or another one for
        -- that version.
        settled_version integer not null default 0,
        primary key (device_id, name),
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade
      );

      -- See product.organization_id.
      alter table command alter column organization_id set (n_distinct = 100);
      alter table device_state alter column organization_id set (n_distinct = 100);

      -- Ends commands that have not reached their device, for a reason.
      create function end_commands(devices uuid[], reason text, declared_only boolean) returns void
      language sql as $function$
        with due as (
          select id from command where device_id = any(devices) and open and state in ('waiting', 'handed')
             and (product_id is not null or not declared_only) order by id for update
        ), ended as (
          update command c set state = 'failed', code = reason, detail = null, state_at = clock_timestamp(), open = false
            from due where c.id = due.id returning c.id
        )
        insert into command_evidence (command_id, source, kind, code) select id, 'service', 'failed', reason from ended
      $function$;

      create function device_commands_end() returns trigger language plpgsql as $function$
      begin
        if exists (select from command c join gone g on g.id = c.device_id where c.open) then
          perform end_commands(array(select id from gone), 'DEVICE_DELETED', false);
        end if;
        return null;
      end $function$;
      create trigger device_commands_end after delete on device referencing old table as gone
        for each statement execute function device_commands_end();

      create function device_product_changed() returns trigger language plpgsql as $function$
      begin
        perform end_commands(array[new.id], 'PRODUCT_CHANGED', true);
        return null;
      end $function$;
      create trigger device_product_changed after update of product_id on device for each row
        when (old.product_id is distinct from new.product_id) execute function device_product_changed();

      create function device_token_revoked() returns trigger language plpgsql as $function$
      begin
        if not exists (select from api_token k where k.device_id = new.device_id and k.revoked_at is null
                         and (k.expires_at is null or k.expires_at > now())) then
          perform end_commands(array[new.device_id], 'TOKEN_REVOKED', false);
        end if;
        return null;
      end $function$;
      create trigger device_token_revoked after update of revoked_at on api_token for each row
        when (new.device_id is not null and old.revoked_at is null and new.revoked_at is not null)
        execute function device_token_revoked();
    `);
  }
}
