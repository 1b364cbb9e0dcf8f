import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { type NewEvidence, noteEvidenceIn } from '../note-evidence.js';
import type { PushedCommand } from './dialect.js';
import { beginPush, type ClaimedPush, endPush, lockPush, releasePush, settlePush, unreserve } from './push-rows.js';
import type { StoredServer } from './server.js';

/** A call that is to be made: a command, the server that takes it, and the name of its device there. */
export interface BegunPush {
  command: PushedCommand;
  server: StoredServer;
  device: string;
  /** Number of calls for the command before. */
  attempts: number;
}

/** Row of a claim. */
interface PushRow {
  wanted: number;
  commandId: string | null;
  begun: boolean;
  attempts: number;
  early: EarlyEvidence[];
}

/** Evidence about an item that came before the answer with its identifier. */
export interface EarlyEvidence {
  item: string;
  evidence: NewEvidence;
}

interface CommandRow {
  id: string;
  payload: Buffer | null;
  port: number | null;
  confirmed: boolean;
  expiresAt: string;
}

/** Maximum number of bytes of a frame (LoRaWAN Regional Parameters). A network may allow fewer. */
const maxBytes = 242;
/** Time after which a device is looked at again for which another road has a command in flight, in milliseconds. */
const busyWait = 1000;

/**
 * Begins the call for the first waiting command of a claimed device, if none of it is in flight on another road. The
 * expiry is decided here, by the database's clock.
 * @returns undefined when nothing is to be called; the claim has then ended
 */
export const beginCall = (pool: Pool, push: ClaimedPush, lease: number): Promise<BegunPush | undefined> =>
  transaction(pool, async (tx) => {
    const [row] = (await tx.query<PushRow>(lockPush(push))).rows;
    if (row === undefined) return undefined;
    const target = await findTarget(tx, push);
    const command = target && (await firstWaiting(tx, push.deviceId));
    if (target === undefined || command === undefined) {
      const { rowCount } = await tx.query(endPush(push, row.wanted));
      if (rowCount === 0) await tx.query(releasePush(push));
      return undefined;
    }
    const code = faultOf(command);
    if (code !== undefined) {
      await noteEvidenceIn(
        tx,
        { id: command.id, deviceId: push.deviceId },
        { source: 'service', kind: 'failed', code },
      );
      await tx.query(releasePush(push));
      return undefined;
    }
    if (await isBusy(tx, push.deviceId)) {
      await tx.query(releasePush(push, busyWait));
      return undefined;
    }
    await tx.query(beginPush(push, command.id, lease));
    const { id, confirmed, expiresAt } = command;
    return {
      command: { id, confirmed, expiresAt, payload: command.payload!, port: command.port! },
      ...target,
      attempts: row.commandId === id ? row.attempts : 0,
    };
  });

/** Returns the call that a lost claim may have made. */
export const lostCall = async (pool: Pool, push: ClaimedPush): Promise<Omit<BegunPush, 'attempts'> | undefined> => {
  const { rows } = await pool.query<CommandRow & { commandId: string }>(sql`
    select c.id, c.payload, c.stream_id as port, c.confirmed, to_json(c.expires_at) #>> '{}' as "expiresAt"
      from command_push p join command c on c.id = p.command_id where p.device_id = ${push.deviceId} and p.claim_id = ${push.claimId}`);
  const [command] = rows;
  const target = await findTarget(pool, push);
  if (command === undefined || target === undefined) return undefined;
  return { command: { ...command, payload: command.payload!, port: command.port! }, ...target };
};

/** Outcome of a call, for the command. */
export interface PushResult {
  evidence: NewEvidence;
  /** Identifier of the command in the server's queue. */
  item?: string | undefined;
  /** Milliseconds until the next attempt of a command that was not taken; undefined: there is none. */
  wait: number | undefined;
}

/** Settles a call: stores its evidence and what came early about the item, and ends the claim. */
export const settleCall = (
  pool: Pool,
  push: ClaimedPush,
  commandId: string | null,
  result: PushResult,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const [row] = (await tx.query<PushRow>(lockPush(push))).rows;
    const id = commandId ?? row?.commandId ?? undefined;
    // Another process has taken the claim over, and has settled it without this answer.
    if (row === undefined && result.wait !== undefined) return;
    if (id !== undefined) {
      const command = { id, deviceId: push.deviceId };
      await noteEvidenceIn(tx, command, result.evidence);
      await tx.query(unreserve(id, result.wait === undefined));
      if (result.item !== undefined) {
        await tx.query(sql`
          insert into command_item (organization_id, item, command_id) values (${push.organizationId}, ${result.item}, ${id})
          on conflict do nothing`);
        for (const early of row?.early ?? [])
          if (early.item === result.item) await noteEvidenceIn(tx, command, early.evidence);
      }
    }
    await tx.query(settlePush(push, result.wait));
  });

/** Finds the server of a claim, and the name of the device there; undefined if the device is reached otherwise now. */
const findTarget = async (
  db: Pick<Pool, 'query'>,
  { deviceId, serverId }: ClaimedPush,
): Promise<Pick<BegunPush, 'server' | 'device'> | undefined> => {
  const { rows } = await db.query<StoredServer & { device: string }>(sql`
    select n.id, n.organization_id as "organizationId", n.kind, n.address, n.application, n.api_key as "apiKey", r.name as device
      from network_server n join device_road r
        on r.organization_id = n.organization_id and r.kind = n.kind and r.application = n.application
     where n.id = ${serverId} and r.device_id = ${deviceId} and not n.proposed`);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { device, ...server } = row;
  return { device, server };
};

const firstWaiting = async (tx: PoolClient, deviceId: string): Promise<CommandRow | undefined> => {
  const { rows } = await tx.query<CommandRow>(sql`
    select id, payload, stream_id as port, confirmed, to_json(expires_at) #>> '{}' as "expiresAt" from command
     where device_id = ${deviceId} and open and state = 'waiting' and expires_at > clock_timestamp()
     order by id limit 1 for update`);
  return rows[0];
};

const isBusy = async (tx: PoolClient, deviceId: string): Promise<boolean> => {
  const { rows } = await tx.query(sql`
    select from command where device_id = ${deviceId} and open and again_at > clock_timestamp() and again_at < 'infinity' limit 1`);
  return rows.length > 0;
};

/** Returns the code of a command that no network server can send; undefined if it can. */
const faultOf = ({ payload, port }: CommandRow): string | undefined => {
  if (payload === null || payload.length === 0 || payload.length > maxBytes) return 'PAYLOAD_SIZE';
  return port === null || port < 1 || port > 223 ? 'PORT' : undefined;
};
