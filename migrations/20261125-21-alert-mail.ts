import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Recipients of alert rules, and the e-mail notices that wait for them. */
export class AlertMail extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'alert_rule, episode',
      `alter table alert_rule add column if not exists recipients text[] not null default '{}';
       alter table episode add column if not exists recipients text[] not null default '{}'`,
    );
    await steps.run(tables);
  }
}

const tables = `
  comment on column episode.recipients is 'Of its rule when it opened: who hears of its end where the rule is deleted.';

  -- Addresses that rules of an organization name or named.
  create table if not exists alert_recipient (
    id uuid primary key,
    organization_id uuid not null references account on delete cascade,
    address text not null,
    state text not null check (state in ('pending', 'confirmed', 'stopped')),
    reason text,
    since timestamptz(3) not null,
    -- When a mail that asks for confirmation is due, and when the last one went out.
    ask_at timestamptz(3),
    asked_at timestamptz(3),
    -- No notice goes out before: after each one, and after a failure.
    next_at timestamptz(3),
    -- Lease of the process that sends to it.
    claim_id uuid,
    locked_until timestamptz(3),
    failures int not null default 0,
    failing_since timestamptz(3),
    last_error text
  );
  create unique index if not exists alert_recipient_address on alert_recipient (organization_id, lower(address));
  create index if not exists alert_recipient_ask on alert_recipient (ask_at) where ask_at is not null;
  create index if not exists alert_recipient_failing on alert_recipient (id) where last_error is not null;

  -- Tokens of links that confirm an address, as hashes.
  create table if not exists alert_mail_token (
    hash bytea primary key,
    recipient_id uuid not null references alert_recipient on delete cascade,
    expires_at timestamptz(3) not null
  );
  create index if not exists alert_mail_token_recipient on alert_mail_token (recipient_id);
  create index if not exists alert_mail_token_expiry on alert_mail_token (expires_at);

  -- When an address of any organization was last asked for confirmation, for an hour.
  create table if not exists alert_mail_asked (
    address text primary key,
    asked_at timestamptz(3) not null
  );

  -- Mails of a day in UTC.
  create table if not exists alert_mail_day (
    organization_id uuid not null references account on delete cascade,
    day date not null,
    notices int not null default 0,
    asked int not null default 0,
    primary key (organization_id, day)
  );
  create index if not exists alert_mail_day_day on alert_mail_day (day);

  -- Notices that wait to be sent. A foreign key would make transactions that store records write to the recipient's row.
  create table if not exists alert_mail (
    id bigint generated always as identity primary key,
    recipient_id uuid not null,
    -- Null where it only counts notices beyond those that a mail shows.
    notice jsonb,
    count int not null default 1,
    created_at timestamptz(3) not null
  ) with (autovacuum_vacuum_scale_factor = 0.02);
  create index if not exists alert_mail_recipient on alert_mail (recipient_id, id);
  create index if not exists alert_mail_counted on alert_mail (recipient_id) where notice is null`;
