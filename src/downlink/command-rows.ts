import sql, { type Sql } from 'sql-template-tag';
import { textArray } from '#database/text-array.js';
import type { StreamType } from '#entities/enums.js';
import { newId } from '#entities/id.js';

/** A new command. */
export interface NewCommand {
  id: string;
  organizationId: string;
  deviceId: string;
  /** Product that declares it; null for a raw one. */
  productId: string | null;
  name: string;
  parameters: Readonly<Record<string, unknown>> | null;
  payload: Buffer | null;
  streamId: number | null;
  streamType: StreamType | null;
  confirmed: boolean;
  secret: boolean;
  key: string | null;
  /** Account that sent it; null for the organization itself. */
  sentBy: string | null;
  /** Name of the account or token. */
  sender: string | null;
  /** Seconds until it expires. */
  lifetime: number;
}

/** Maximum number of open commands of a device. */
export const maxOpen = 1000;

/** Returns the condition that no more commands may wait for a device. */
export const hasTooMany = (deviceId: Sql): Sql =>
  sql`(select count(*) >= ${maxOpen} from (select from command o where o.device_id = ${deviceId} and o.open limit ${maxOpen}) o)`;

/** A new command as a job keeps it until it is stored. */
export interface StoredCommand extends Omit<NewCommand, 'id' | 'deviceId' | 'payload' | 'lifetime'> {
  /** Bytes in hexadecimal. */
  payload: string | null;
  /** Time at which it expires, in ISO 8601. */
  expiresAt: string;
}

/** Returns the statement that stores a command for each of many devices, unless it has one with the same key. */
export const insertCommands = (
  deviceIds: readonly string[],
  { byProduct, raw }: { byProduct: Readonly<Record<string, StoredCommand>>; raw: StoredCommand | null },
): Sql => {
  const commands = raw === null ? byProduct : { '': raw };
  return sql`
    insert into command (id, organization_id, device_id, product_id, name, parameters, payload, stream_id, stream_type,
           confirmed, secret, key, sent_by, sender, expires_at)
    select t.id, d.organization_id, d.id, (v ->> 'productId')::uuid, v ->> 'name', case when v ->> 'parameters' is not null then v -> 'parameters' end, decode(v ->> 'payload', 'hex'),
           (v ->> 'streamId')::int, v ->> 'streamType', (v ->> 'confirmed')::boolean, (v ->> 'secret')::boolean, v ->> 'key',
           (v ->> 'sentBy')::uuid, v ->> 'sender', (v ->> 'expiresAt')::timestamptz
      from unnest(${textArray(deviceIds)}::uuid[], ${textArray(deviceIds.map(() => newId()))}::uuid[]) t (device_id, id)
      join device d on d.id = t.device_id
      cross join lateral (select ${JSON.stringify(commands)}::json -> coalesce(${raw === null ? null : ''}::text, d.product_id::text) as v) c
     order by d.id
    on conflict (device_id, key) where key is not null do nothing`;
};

/** Returns the statement that stores a command, unless the device has one with its key, or too many. */
export const insertCommand = (command: NewCommand): Sql => {
  const { deviceId, parameters } = command;
  return sql`
    insert into command (id, organization_id, device_id, product_id, name, parameters, payload, stream_id, stream_type,
           confirmed, secret, key, sent_by, sender, expires_at)
    select ${command.id}::uuid, ${command.organizationId}::uuid, ${deviceId}::uuid, ${command.productId}::uuid, ${command.name},
           ${parameters && JSON.stringify(parameters)}::json, ${command.payload}::bytea, ${command.streamId}::int,
           ${command.streamType}::text, ${command.confirmed}::boolean, ${command.secret}::boolean, ${command.key}::text,
           ${command.sentBy}::uuid, ${command.sender}::text,
           clock_timestamp() + make_interval(secs => ${command.lifetime}::float8)
     where not ${hasTooMany(sql`${deviceId}::uuid`)}
    on conflict (device_id, key) where key is not null do nothing`;
};

/**
 * Returns the statement that cancels open commands, `c`, and counts them. Like all who lock commands, it does so by
 * identifier, so that no two wait for each other.
 */
export const cancelCommands = (where: Sql): Sql => sql`
  with due as (
    select c.id from command c where ${where} and c.open and c.state in ('waiting', 'handed') order by c.id for update
  ), ended as (
    update command c set state = 'cancelled', code = null, detail = null, state_at = clock_timestamp(), open = false
      from due where c.id = due.id returning c.id
  ), noted as (
    insert into command_evidence (command_id, source, kind) select id, 'service', 'cancelled' from ended
  )
  select count(*)::int as count from ended`;

/** Returns the statement that makes commands due which were handed over to a device. */
export const makeDue = (deviceId: string, ids: readonly string[]): Sql => sql`
  with due as (
    select id from command where id = any(${ids}::uuid[]) and device_id = ${deviceId} and open and state = 'handed'
     order by id for update
  )
  update command c set again_at = clock_timestamp() from due where c.id = due.id`;

/**
 * Finds the newest command of a device that was handed over and whose identifier ends with these 31 bits, among its last
 * thousand.
 */
export const commandOfNumber = (deviceId: string, number: number): Sql => sql`
  select id from (select id, state from command where device_id = ${deviceId} order by id desc limit 1000) c
   where state <> 'waiting' and ('x' || right(id::text, 8))::bit(32)::int & 2147483647 = ${number}::bigint
   order by id desc limit 1`;

/**
 * Returns the statement that ends commands whose time is over: what nothing took has expired; whether the others came is
 * unknown.
 */
export const expireCommands = (limit: number): Sql => sql`
  with due as (
    select id, state from command where open and expires_at <= clock_timestamp()
       -- A network server is being given it: its answer decides.
       and not (state = 'waiting' and again_at is not null and again_at > clock_timestamp())
     order by expires_at limit ${limit} for update skip locked
  ), ended as (
    update command c set state = case when due.state = 'waiting' then 'expired' else 'unknown' end,
           code = case when due.state = 'waiting' then null else 'NO_ANSWER' end, detail = null,
           state_at = clock_timestamp(), open = false
      from due where c.id = due.id returning c.id, c.state, c.code
  ), noted as (
    insert into command_evidence (command_id, source, kind, code) select id, 'service', state, code from ended
  )
  select id from ended`;
