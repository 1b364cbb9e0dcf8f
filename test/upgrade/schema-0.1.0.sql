-- The schema of 0.1.0 (commit 6d16247, 2026-11-20), as its five migrations made it: what test/upgrade begins with.

-- 20261120-01-accounts
create table account (
  id uuid primary key,
  type text not null check (type in ('organization', 'user')),
  username text not null unique,
  email text not null,
  name text,
  disabled boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index account_email_key on account (lower(email));

create table membership (
  organization_id uuid not null references account on delete cascade,
  user_id uuid not null references account on delete cascade,
  role text not null check (role in ('owner', 'member')),
  created_at timestamptz(3) not null,
  primary key (organization_id, user_id)
);
create index membership_user on membership (user_id);

create table team (
  id uuid primary key,
  organization_id uuid not null references account on delete cascade,
  name text not null,
  slug text not null,
  description text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (organization_id, id)
);

create table product (
  id uuid primary key,
  organization_id uuid not null references account on delete cascade,
  name text not null,
  slug text not null,
  version text not null,
  public boolean not null default false,
  variables jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (organization_id, id)
);
create index product_public on product (id) where public;

create table device (
  id uuid primary key,
  organization_id uuid not null references account on delete cascade,
  serial text not null,
  -- The serial without its dashes: two spellings of one serial are one device.
  serial_key text not null generated always as (replace(serial, '-', '')) stored,
  name text,
  slug text not null,
  tags text[] not null default '{}',
  product_id uuid references product,
  lat double precision,
  lon double precision,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (organization_id, serial_key),
  unique (organization_id, id),
  check ((lat is null) = (lon is null))
);
create index device_product on device (product_id);

create table application (
  id uuid primary key,
  organization_id uuid not null references account on delete cascade,
  name text not null,
  slug text not null,
  description text,
  has_dashboard boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (organization_id, id)
);

-- The organization is part of both references: a link can never join two tenants, not even in a race.
create table application_device (
  organization_id uuid not null,
  application_id uuid not null,
  device_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (application_id, device_id),
  foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
  foreign key (organization_id, device_id) references device (organization_id, id)
);
create index application_device_device on application_device (device_id);

create table team_member (
  organization_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (team_id, user_id),
  foreign key (organization_id, team_id) references team (organization_id, id) on delete cascade,
  -- A membership that ends takes the places in the organization's teams with it.
  foreign key (organization_id, user_id) references membership on delete cascade
);
create index team_member_user on team_member (organization_id, user_id);

create table team_application (
  organization_id uuid not null,
  team_id uuid not null,
  application_id uuid not null,
  permission text not null check (permission in ('read', 'write')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (team_id, application_id),
  foreign key (organization_id, team_id) references team (organization_id, id) on delete cascade,
  foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade
);
create index team_application_application on team_application (application_id);

create table api_token (
  id uuid primary key,
  organization_id uuid not null references account on delete cascade,
  user_id uuid,
  name text,
  scope text not null check (scope in ('full', 'read', 'ingest')),
  -- SHA-256 of the token; the token itself is stored nowhere.
  hash bytea not null unique,
  prefix text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- A member's tokens die with the membership.
  foreign key (organization_id, user_id) references membership on delete cascade
);
create index api_token_organization on api_token (organization_id, user_id);

-- 20261120-02-records
create sequence record_seq;

-- No foreign keys: a record per row of a fleet's stream cannot afford them. What belongs to a deleted device is
-- unreachable at once (everything reads records through their devices) and swept afterwards (record_sweep).
create table record (
  id uuid not null,
  seq bigint not null default nextval('record_seq'),
  organization_id uuid not null,
  device_id uuid not null,
  product_id uuid,
  ts timestamptz not null,
  metadata jsonb not null,
  data jsonb not null,
  frame jsonb,
  given jsonb,
  numbers float8[],
  texts text[],
  many jsonb,
  ignored text[]
) partition by range (ts);
comment on column record.seq is 'Storing order.';
comment on column record.product_id is 'Product of the device when the record was stored.';
comment on column record.given is 'Fields that came beside the frame: {wins, data}; wins says whose value counts.';
comment on column record.numbers is 'Values of numeric and BOOL (0, 1) variables by product_slot; 1-based.';
comment on column record.texts is 'Values of TXT variables by product_slot; 1-based.';
comment on column record.many is 'Variables that came as arrays: name to array of values in their own type.';
comment on column record.ignored is 'Paths (data.name) whose value does not fit its variable: in data, not searchable.';
create index record_id on record (id);
create index record_device on record (device_id, ts, seq);
create index record_product on record (organization_id, product_id, ts, seq);

-- A place per (variable, type), never given to another: a value stored under an older type stays in the older place.
create table product_slot (
  product_id uuid not null references product on delete cascade,
  name text not null,
  type text not null,
  kind text not null check (kind in ('number', 'text')),
  slot int not null check (slot > 0),
  primary key (product_id, name, type),
  unique (product_id, kind, slot)
);

create table record_field (
  organization_id uuid not null references account on delete cascade,
  path text not null,
  keys text[] not null,
  kind text not null check (kind in ('number', 'boolean', 'text')),
  multi boolean not null default false,
  primary key (organization_id, path)
);

create table record_key (
  device_id uuid not null,
  key text not null,
  record_id uuid not null,
  stored_at timestamptz(3) not null,
  primary key (device_id, key)
);
create index record_key_age on record_key using brin (stored_at);

create table idempotency_key (
  organization_id uuid not null references account on delete cascade,
  path text not null,
  key text not null,
  body_hash bytea not null,
  answer jsonb,
  created_at timestamptz(3) not null,
  primary key (organization_id, path, key)
);
create index idempotency_key_age on idempotency_key (created_at);

-- Hours that got records since their rollup was made. A storing transaction only ever appends here: an upsert would make
-- all of them wait for each other.
create table record_dirty (
  id bigint generated always as identity primary key,
  organization_id uuid not null,
  product_id uuid,
  hour timestamptz not null
);

-- Devices that are gone and whose records are still to be deleted.
create table record_sweep (
  device_id uuid primary key,
  deleted_at timestamptz(3) not null
);
create function record_sweep_device() returns trigger language plpgsql as $$
begin
  insert into record_sweep values (old.id, clock_timestamp()) on conflict do nothing;
  return null;
end $$;
create trigger device_record_sweep after delete on device for each row execute function record_sweep_device();

-- Makes the partition that holds a moment, if there is none: the week from 90 days back on, the year before that,
-- cut where neighbours begin. Attaching (instead of creating in place) lets readers and writers go on meanwhile.
create function record_partition(moment timestamptz, today timestamptz) returns void
language plpgsql set timezone = 'UTC' as $$
declare
  unit text := case when moment < today - interval '90 days' then 'year' else 'week' end;
  lower timestamptz := date_trunc(unit, moment);
  upper timestamptz := date_trunc(unit, moment) + ('1 ' || unit)::interval;
  name text;
  part record;
begin
  perform pg_advisory_xact_lock(hashtext('record_partition'));
  for part in
    select bound[1]::timestamptz as lower, bound[2]::timestamptz as upper
    from pg_inherits join pg_class on pg_class.oid = inhrelid,
      regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \(''(.+)''\) TO \(''(.+)''\)') bound
    where inhparent = 'record'::regclass
  loop
    if moment >= part.lower and moment < part.upper then return; end if;
    if part.upper <= moment then lower := greatest(lower, part.upper); end if;
    if part.lower > moment then upper := least(upper, part.lower); end if;
  end loop;
  name := 'record_' || to_char(lower, 'YYYYMMDD');
  execute format('create table %I (like record including all)', name);
  execute format('alter table record attach partition %I for values from (%L) to (%L)', name, lower, upper);
end $$;

select record_partition(moment, now())
from generate_series(now() - interval '90 days', now() + interval '28 days', interval '7 days') moment;

-- 20261120-03-hooks
create table hook (
  id uuid primary key,
  organization_id uuid not null,
  application_id uuid not null,
  url text not null,
  -- Passwords, values and signing secrets are sealed (src/hooks/secret.ts), never plain.
  basic_user text,
  basic_pass text,
  header_name text,
  header_value text,
  signing_secret text,
  previous_signing_secret text,
  previous_signing_secret_until timestamptz(3),
  allow_unverified_ssl_cert boolean not null default false,
  disabled boolean not null default false,
  disabled_at timestamptz(3),
  disabled_reason text,
  concurrency integer not null default 8 check (concurrency between 1 and 64),
  max_per_second double precision check (max_per_second > 0),
  ordered boolean not null default false,
  filter jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
  check ((basic_user is null) = (basic_pass is null)),
  check ((header_name is null) = (header_value is null))
);
create index hook_application on hook (application_id);

-- What changes with every claim and call, apart from the hook, so that neither waits for the other.
create table hook_state (
  hook_id uuid primary key references hook on delete cascade,
  -- Counts claims: a claim that saw another number lost the race for this hook (src/hooks/claim.ts).
  claims bigint not null default 0,
  failures_in_row integer not null default 0,
  failing_since timestamptz(3),
  last_failure_at timestamptz(3),
  circuit_openings integer not null default 0,
  circuit_until timestamptz(3),
  -- What waited longer than 7 days before this moment has ended.
  resumed_at timestamptz(3),
  -- Calls that maxPerSecond allows at tokens_at.
  tokens double precision not null default 0,
  tokens_at timestamptz(3)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- Hooks that are gone and whose deliveries are still to be swept.
create table deleted_hook (
  hook_id uuid primary key,
  deleted_at timestamptz(3) not null default clock_timestamp()
);

create function hook_follow() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into hook_state (hook_id) values (new.id);
  elsif tg_op = 'DELETE' then
    insert into deleted_hook (hook_id) values (old.id) on conflict do nothing;
  elsif old.disabled and not new.disabled then
    update hook_state
       set failures_in_row = 0, failing_since = null, circuit_openings = 0, circuit_until = null,
           resumed_at = new.updated_at
     where hook_id = new.id;
  end if;
  return null;
end $$;
-- Whoever writes a hook, by hand or by cascade, its state follows.
create trigger hook_follow after insert or delete or update of disabled on hook
  for each row execute function hook_follow();

create sequence delivery_seq;
-- No foreign keys: deliveries outlive devices, and those of a deleted hook are swept in the background.
create table delivery (
  id uuid not null,
  hook_id uuid not null,
  organization_id uuid not null,
  application_id uuid not null,
  device_id uuid,
  record_id uuid,
  event text not null check (event in ('record', 'ping')),
  ts timestamptz,
  -- Order of storing; a lane (the device, of an ordered hook) goes out in it.
  seq bigint not null default nextval('delivery_seq'),
  lane uuid,
  state text not null check (state in ('pending', 'running', 'succeeded', 'failed')),
  done boolean not null default false check (done = (state in ('succeeded', 'failed'))),
  -- When it began to wait, at storing or by redelivery.
  queued_at timestamptz(3) not null,
  next_attempt_at timestamptz(3) not null,
  locked_until timestamptz(3),
  claim_id uuid,
  attempts_made integer not null default 0,
  max_attempts integer not null,
  payload json not null,
  request json,
  response json,
  truncated boolean not null default false,
  error json,
  attempts jsonb not null default '[]',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The hook first: this one index finds a delivery and lists a hook's, newest first.
  primary key (hook_id, id, done)
) partition by list (done);

-- What is still to be done is one small table, so that a claim costs the same however long history is. Settled,
-- a row moves to the partition of its day, where it lies still until that is dropped.
create table delivery_open partition of delivery for values in (false)
  with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index delivery_due on delivery_open (hook_id, next_attempt_at) where state = 'pending' and event = 'record';
create index delivery_ping on delivery_open (next_attempt_at) where state = 'pending' and event = 'ping';
create index delivery_running on delivery_open (hook_id) where state = 'running';
create index delivery_lane on delivery_open (hook_id, lane, seq) where lane is not null;

create table delivery_done partition of delivery for values in (true) partition by range (id);
create table delivery_done_default partition of delivery_done default;

-- The smallest identifier (UUID version 7: milliseconds first) of a day in UTC.
create function delivery_bound(day date) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the partition of a day, and moves into it what came before it was there. Answers whether it made one.
create function delivery_partition(day date) returns boolean language plpgsql as $$
declare
  name text := 'delivery_done_' || to_char(day, 'YYYYMMDD');
  low uuid := delivery_bound(day);
  high uuid := delivery_bound(day + 1);
begin
  if to_regclass(name) is not null then
    return false;
  end if;
  lock table delivery_done_default in access exclusive mode;
  execute format('create table %I (like delivery_done including all)', name);
  execute format(
    'with moved as (delete from delivery_done_default where id >= %L and id < %L returning *)
     insert into %I select * from moved', low, high, name);
  execute format('alter table delivery_done attach partition %I for values from (%L) to (%L)', name, low, high);
  return true;
end $$;

-- Drops the partitions of the days before one, and answers their number.
create function delivery_retire(before date) returns integer language plpgsql as $$
declare
  name text;
  dropped integer := 0;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'delivery_done'::regclass and c.relname ~ '^delivery_done_[0-9]{8}$'
       and to_date(right(c.relname, 8), 'YYYYMMDD') < before
  loop
    execute format('drop table %I', name);
    dropped := dropped + 1;
  end loop;
  delete from delivery_done_default where id < delivery_bound(before);
  delete from delivery_open where id < delivery_bound(before);
  return dropped;
end $$;

-- 20261120-04-jobs
create table job (
  id uuid primary key,
  organization_id uuid not null references account on delete cascade,
  kind text not null,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
  input jsonb not null,
  -- Where the next step goes on.
  cursor jsonb,
  done bigint not null default 0,
  total bigint,
  changed bigint not null default 0,
  error text,
  locked_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index job_open on job (created_at) where state in ('pending', 'running');
create index job_organization on job (organization_id);

-- 20261120-05-upkeep
alter table record_dirty add column noted_at timestamptz(3) not null default clock_timestamp();

create table record_rollup (
  organization_id uuid not null,
  product_id uuid,
  device_id uuid not null,
  slot int not null,
  hour timestamptz not null,
  n bigint not null,
  sum float8,
  min float8,
  max float8,
  sum_squares float8,
  first float8,
  last float8,
  first_ts timestamptz not null,
  last_ts timestamptz not null
);
comment on column record_rollup.slot is
  '0: the records themselves; above: slot in record.numbers; below: minus the slot in record.texts.';
create index record_rollup_product on record_rollup (organization_id, product_id, slot, hour);
create index record_rollup_device on record_rollup (device_id, product_id, slot, hour);

-- The most specific row counts; no row, or null, keeps records for ever.
create table record_retention (
  organization_id uuid not null references account on delete cascade,
  product_id uuid references product on delete cascade,
  keep interval,
  unique nulls not distinct (organization_id, product_id)
);

-- Drops the partitions that end at or before a moment, or only those of them that are empty. Gives up after two seconds
-- where somebody reads or writes for longer: it is called again.
create function record_retire(moment timestamptz, only_empty boolean) returns int
language plpgsql set timezone = 'UTC' set lock_timeout = '2s' as $$
declare
  part record;
  holds_any boolean;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('record_partition'));
  for part in
    select relname, bound[1]::timestamptz as upper
    from pg_inherits join pg_class on pg_class.oid = inhrelid,
      regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''(.+)''\)') bound
    where inhparent = 'record'::regclass and bound[1]::timestamptz <= moment
  loop
    execute format('select exists (select from %I)', part.relname) into holds_any;
    continue when only_empty and holds_any;
    lock table only record in access exclusive mode;
    execute format('select exists (select from %I)', part.relname) into holds_any;
    continue when only_empty and holds_any;
    execute format('drop table %I', part.relname);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

create table migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
insert into migration (name) values
  ('20261120-01-accounts'),
  ('20261120-02-records'),
  ('20261120-03-hooks'),
  ('20261120-04-jobs'),
  ('20261120-05-upkeep');
