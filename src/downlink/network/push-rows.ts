import sql, { type Sql } from 'sql-template-tag';
import { circuitThreshold, circuitTime } from '#calls/circuit.js';
import { textArray } from '#database/text-array.js';

/** A device whose commands a process has claimed. */
export interface ClaimedPush {
  deviceId: string;
  organizationId: string;
  serverId: string;
  claimId: string;
}

/** Maximum number of calls of one network server at a time, over all processes. */
const callsOfServer = 8;

const claimed = sql`p.device_id as "deviceId", p.organization_id as "organizationId", p.server_id as "serverId", p.claim_id as "claimId"`;

const later = (milliseconds: number): Sql => sql`clock_timestamp() + ${milliseconds}::float8 * interval '1 ms'`;

/**
 * Claims devices whose commands are due, as hooks claim deliveries: the number `claims` of a server's state makes one of
 * two claims at once see the leases of the other. An organization gets at most half of the free calls.
 */
export const claimPushes = (options: {
  claimId: string;
  limit: number;
  lease: number;
  underWay: ReadonlyMap<string, number>;
}): Sql => {
  const { claimId, limit, lease, underWay } = options;
  return sql`
    with ready as materialized (
      select s.server_id, n.organization_id, s.claims,
             case when s.failures_in_row >= ${circuitThreshold} then 1 else ${callsOfServer}::int end - l.running as free
        from network_server_state s
        join network_server n on n.id = s.server_id and not n.proposed
        join account o on o.id = n.organization_id and not o.disabled
        cross join lateral (
          select count(*)::int as running from command_push where server_id = s.server_id and claim_id is not null) l
       where (s.circuit_until is null or s.circuit_until <= clock_timestamp())
         and exists (select from command_push p where p.server_id = s.server_id and p.claim_id is null
                        and p.next_attempt_at <= clock_timestamp())
    ), held as materialized (
      select r.* from network_server_state s join ready r on r.server_id = s.server_id and r.claims = s.claims
       where r.free > 0 for update of s skip locked
    ), picked as materialized (
      select h.server_id, h.organization_id, p.device_id,
             row_number() over (partition by h.organization_id order by p.nth) as turn
        from held h cross join lateral (
          select device_id, row_number() over (order by next_attempt_at) as nth from command_push
           where server_id = h.server_id and claim_id is null and next_attempt_at <= clock_timestamp()
           order by next_attempt_at limit h.free) p
    ), chosen as materialized (
      select p.* from picked p
        left join unnest(${textArray([...underWay.keys()])}::uuid[], ${[...underWay.values()]}::int[]) u (organization_id, running)
          on u.organization_id = p.organization_id
       where p.turn <= greatest(1, (${limit}::int - coalesce(u.running, 0)) / 2)
       order by coalesce(u.running, 0) + p.turn limit ${limit}
    ), counted as (
      update network_server_state s set claims = s.claims + 1
        from (select distinct server_id from chosen) c where s.server_id = c.server_id
    )
    update command_push p set claim_id = ${claimId}, locked_until = ${later(lease)}
      from chosen c where p.device_id = c.device_id and p.claim_id is null
    returning ${claimed}`;
};

/**
 * Takes over the devices whose lease ended: the process that claimed them is dead or cut off. Those without a call are
 * due again; of the others the call may have been made, and they are returned.
 */
export const recoverPushes = (claimId: string, lease: number): Sql => sql`
  with lost as materialized (
    select device_id, begun from command_push where claim_id is not null and locked_until < clock_timestamp()
     order by device_id limit 100 for update skip locked
  ), due as (
    update command_push p set claim_id = null, next_attempt_at = clock_timestamp()
      from lost l where l.device_id = p.device_id and not l.begun
  )
  update command_push p set claim_id = ${claimId}, locked_until = ${later(lease)}
    from lost l where l.device_id = p.device_id and l.begun
  returning ${claimed}`;

/** Selects the row of a claim, with a lock; none if another process has taken it over. */
export const lockPush = ({ deviceId, claimId }: ClaimedPush): Sql => sql`
  select wanted, command_id as "commandId", begun, attempts, early from command_push
   where device_id = ${deviceId} and claim_id = ${claimId} for update`;

/** Ends a claim. The device is due again after a number of milliseconds. */
export const releasePush = ({ deviceId, claimId }: ClaimedPush, wait = 0): Sql => sql`
  update command_push set claim_id = null, begun = false, next_attempt_at = ${later(wait)}
   where device_id = ${deviceId} and claim_id = ${claimId}`;

/** Ends the lease of a claim whose call was cut off, so that another process settles it at once. */
export const abandonPush = ({ deviceId, claimId }: ClaimedPush): Sql => sql`
  update command_push set locked_until = '-infinity' where device_id = ${deviceId} and claim_id = ${claimId}`;

/** Deletes the row of a device without commands, unless there may be another command since its row was read. */
export const endPush = ({ deviceId, claimId }: ClaimedPush, wanted: number): Sql => sql`
  delete from command_push where device_id = ${deviceId} and claim_id = ${claimId} and wanted = ${wanted}`;

/**
 * Notes that the call for a command begins. Other roads do not take the command meanwhile, nor does it expire: twice as
 * long as the lease, so that a lost call is settled before.
 */
export const beginPush = ({ deviceId, claimId }: ClaimedPush, commandId: string, lease: number): Sql => sql`
  with reserved as (update command set again_at = ${later(2 * lease)} where id = ${commandId})
  update command_push set begun = true, early = '{}', locked_until = ${later(lease)}, command_id = ${commandId},
         attempts = case when command_id = ${commandId} then attempts else 0 end
   where device_id = ${deviceId} and claim_id = ${claimId}`;

/** Ends the reservation of a command. A command that was pushed is never handed over again. */
export const unreserve = (commandId: string, isPushed: boolean): Sql => sql`
  update command set again_at = case when ${isPushed}::boolean then 'infinity'::timestamptz end where id = ${commandId}`;

/** Ends a claim after a call. A refused command is tried again after a number of milliseconds. */
export const settlePush = ({ deviceId, claimId }: ClaimedPush, wait: number | undefined): Sql => sql`
  update command_push set claim_id = null, begun = false, early = '{}', next_attempt_at = ${later(wait ?? 0)},
         attempts = case when ${wait !== undefined}::boolean then attempts + 1 else 0 end
   where device_id = ${deviceId} and claim_id = ${claimId}`;

/** Stores whether a call of a server succeeded, for its circuit. */
export const noteHealth = (serverId: string, isSuccess: boolean): Sql =>
  isSuccess
    ? sql`update network_server_state set failures_in_row = 0, circuit_openings = 0, circuit_until = null
           where server_id = ${serverId} and failures_in_row > 0`
    : sql`update network_server_state set failures_in_row = failures_in_row + 1,
                 circuit_openings = circuit_openings + case when ${opens} then 1 else 0 end,
                 circuit_until = case when ${opens} then clock_timestamp() + ${circuitTime(sql`circuit_openings`)} else circuit_until end
           where server_id = ${serverId}`;

/** Calls that were in flight when the circuit opened do not open it further. */
const opens = sql`failures_in_row + 1 >= ${circuitThreshold} and (circuit_until is null or circuit_until <= clock_timestamp())`;
