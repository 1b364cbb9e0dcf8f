import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { serialKey } from '#entities/serial.js';
import { lockDevice } from './device-state.js';
import { handOverIn } from './hand-over.js';
import { type NewEvidence, noteEvidence } from './note-evidence.js';

/** A callback of Sigfox that asks for a downlink. */
export interface SigfoxRequest {
  organizationId: string;
  /** Spellings of the device's serial; the first that exists counts. */
  serials: readonly string[];
  /** Text that is the same whenever Sigfox repeats the callback. */
  call: string;
}

/** Number of bytes of a downlink. Sigfox takes exactly as many. */
const size = 8;

/** Number of downlinks that a device gets in a day (UTC), at most. Sigfox drops a further one. */
const dailyAllowance = 4;

/**
 * Hands the oldest command that waits for the device over to Sigfox. A repeated callback gets the same command. Commands
 * that do not fit fail. Those beyond the day's allowance wait for the next day, and their evidence says so.
 * @returns 16 hexadecimal digits, a shorter payload with zeros at its end; undefined if nothing waits
 */
export const answerSigfox = async (pool: Pool, request: SigfoxRequest): Promise<string | undefined> => {
  const { call } = request;
  const device = await findDevice(pool, request);
  if (device === undefined) return undefined;
  const payload = await transaction(pool, async (tx) => {
    // Of two callbacks at once, which may be the same, the second sees what the first was answered.
    await tx.query(lockDevice(device.id));
    const { rows } = await tx.query<{ payload: string }>(answered(device.id, call));
    if (rows[0] !== undefined) return rows[0].payload;
    await tx.query(endUnfit(device.id));
    const used = await tx.query(usedToday(device.id));
    if ((used.rowCount ?? 0) >= dailyAllowance) {
      await tx.query(noteAllowance(device.id));
      return undefined;
    }
    const [command] = await handOverIn(tx, device.id, { limit: 1, again: undefined, detail: { sigfox: call } });
    return command?.payload ?? undefined;
  });
  return payload?.padEnd(2 * size, '0');
};

/** News of Sigfox about a downlink. */
export interface SigfoxNews extends Omit<SigfoxRequest, 'call'> {
  /** Time of the message that asked for it, in Unix seconds; undefined if Sigfox does not say it. */
  time: number | undefined;
  evidence: Pick<NewEvidence, 'kind' | 'code' | 'detail'>;
}

/**
 * Stores what Sigfox says of a downlink as evidence of the command that was the answer to the message of that time, or
 * else of the last one of the past minutes. Without such a command, nothing is stored.
 */
export const noteSigfox = async (pool: Pool, { time, evidence, ...named }: SigfoxNews): Promise<void> => {
  const device = await findDevice(pool, named);
  if (device === undefined) return;
  const { rows } = await pool.query<{ id: string }>(sql`
    select c.id from ${lastCommands(device.id)} c
      join command_evidence e on e.command_id = c.id and e.kind = 'handed' and e.detail ->> 'sigfox' is not null
     cross join lateral (select coalesce(split_part(e.detail ->> 'sigfox', '|', 1) = ${time ?? null}::text, false) is_same) t
     where t.is_same or e.at > clock_timestamp() - interval '10 min'
     order by t.is_same desc, e.at desc limit 1`);
  const [command] = rows;
  if (command !== undefined)
    await noteEvidence(pool, { id: command.id, deviceId: device.id }, { source: 'networkServer', ...evidence });
};

const findDevice = async (
  pool: Pool,
  { organizationId, serials }: Pick<SigfoxRequest, 'organizationId' | 'serials'>,
): Promise<{ id: string } | undefined> => {
  const keys = serials.map(serialKey);
  const { rows } = await pool.query<{ id: string }>(sql`
    select id from device where organization_id = ${organizationId} and serial_key = any(${keys}::text[])
     order by array_position(${keys}::text[], serial_key) limit 1`);
  return rows[0];
};

/** SQL: the last commands of a device. Sigfox asks about no older one. */
const lastCommands = (deviceId: string): Sql =>
  sql`(select id, state, payload from command where device_id = ${deviceId} order by id desc limit 1000)`;

/** Selects the payload that a callback was answered, among the last thousand commands of the device. */
const answered = (deviceId: string, call: string): Sql => sql`
  select encode(c.payload, 'hex') as payload
    from ${lastCommands(deviceId)} c
   where exists (
     select from command_evidence e where e.command_id = c.id and e.kind = 'handed' and e.detail ->> 'sigfox' = ${call})
   limit 1`;

/** Selects the downlinks that a device got today, as far as nobody says that they were not sent. */
const usedToday = (deviceId: string): Sql => sql`
  select from ${lastCommands(deviceId)} c
    join command_evidence e on e.command_id = c.id and e.kind = 'handed' and e.detail ->> 'sigfox' is not null
   where c.state <> 'failed' and e.at >= date_trunc('day', clock_timestamp(), 'UTC')`;

/** Notes, once a day, that the first command that waits is beyond the allowance. */
const noteAllowance = (deviceId: string): Sql => sql`
  insert into command_evidence (command_id, source, kind, code)
  select c.id, 'service', 'noted', 'DAILY_ALLOWANCE'
    from (select id from command where device_id = ${deviceId} and open and state = 'waiting' order by id limit 1) c
   where not exists (
     select from command_evidence e where e.command_id = c.id and e.code = 'DAILY_ALLOWANCE'
        and e.at >= date_trunc('day', clock_timestamp(), 'UTC'))`;

/** Ends the waiting commands of a device whose bytes are no downlink of Sigfox. */
const endUnfit = (deviceId: string): Sql => sql`
  with due as (
    select id from command where device_id = ${deviceId} and open and state = 'waiting'
       and coalesce(octet_length(payload), 0) not between 1 and ${size} order by id for update
  ), ended as (
    update command c set state = 'failed', code = 'PAYLOAD_SIZE', detail = null, state_at = clock_timestamp(), open = false
      from due where c.id = due.id returning c.id
  )
  insert into command_evidence (command_id, source, kind, code) select id, 'service', 'failed', 'PAYLOAD_SIZE' from ended`;
