import { Migration } from '@mikro-orm/migrations';

/** Recipients of alert rules, and the e-mail notices that wait for them. */
export class AlertMail extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- E-mail addresses that the rules of an organization name, or named earlier.
      create table alert_recipient (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        address text not null,
        state text not null check (state in ('pending', 'confirmed', 'stopped')),
        reason text,
        since timestamptz(3) not null,
        -- When a mail that asks for confirmation is due, and when the last one went out.
        ask_at timestamptz(3),
        asked_at timestamptz(3),
        -- Earliest time of the next notice. Each sent notice and each failure postpones it.
        next_at timestamptz(3),
        -- Lease of the process that sends to the address.
        claim_id uuid,
        locked_until timestamptz(3),
        failures int not null default 0,
        failing_since timestamptz(3),
        last_error text
      );

      -- Tokens of links that confirm an address, as hashes.
      create table alert_mail_token (
        hash bytea primary key,
        recipient_id uuid not null references alert_recipient on delete cascade,
        expires_at timestamptz(3) not null
      );

      -- Time at which any organization last asked an address for confirmation. Rows are kept for an hour.
      create table alert_mail_asked (
        address text primary key,
        asked_at timestamptz(3) not null
      );

      -- Number of mails per day (UTC).
      create table alert_mail_day (
        organization_id uuid not null references account on delete cascade,
        day date not null,
        notices int not null default 0,
        asked int not null default 0,
        primary key (organization_id, day)
      );

      -- Notices that wait to be sent. A foreign key would make transactions that store records write to the recipient's
      -- row.
      create table alert_mail (
        id bigint generated always as identity primary key,
        recipient_id uuid not null,
        -- Null: the row only counts the notices that a mail does not show.
        notice jsonb,
        count int not null default 1,
        created_at timestamptz(3) not null
      ) with (autovacuum_vacuum_scale_factor = 0.02);

      -- An address has one recipient, regardless of case.
      create unique index alert_recipient_address on alert_recipient (organization_id, lower(address));
      -- Recipients to ask for confirmation, and recipients whose mails fail.
      create index alert_recipient_ask on alert_recipient (ask_at) where ask_at is not null;
      create index alert_recipient_failing on alert_recipient (id) where last_error is not null;
      -- The tokens of a recipient, and expired ones.
      create index alert_mail_token_recipient on alert_mail_token (recipient_id);
      create index alert_mail_token_expiry on alert_mail_token (expires_at);
      -- Counts that have expired.
      create index alert_mail_day_day on alert_mail_day (day);
      -- The notices of a recipient, in order, and the count of those that are not shown.
      create index alert_mail_recipient on alert_mail (recipient_id, id);
      create index alert_mail_counted on alert_mail (recipient_id) where notice is null;
    `);
  }
}
