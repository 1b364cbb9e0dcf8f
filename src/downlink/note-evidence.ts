import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import type { CommandStateName, EvidenceSource } from '#entities/command.js';
import { type Evidence, findState, isOpen, stateOrder } from './evidence.js';

/** New evidence of a command. Its time is that of the database. */
export interface NewEvidence extends Pick<Evidence, 'kind' | 'code' | 'detail'> {
  source: keyof typeof EvidenceSource;
}

/** Maximum number of pieces of evidence of a command. Beyond it, only what changes the state is kept. */
const most = 100;

interface Row {
  confirmed: boolean;
  state: CommandStateName;
}

/**
 * Stores evidence of a device's command, and the state that all of its evidence amounts to.
 * @returns the state; undefined when the device has no such command
 */
export const noteEvidence = (
  pool: Pool,
  { id, deviceId }: { id: string; deviceId: string },
  evidence: NewEvidence,
): Promise<CommandStateName | undefined> => transaction(pool, (tx) => noteEvidenceIn(tx, { id, deviceId }, evidence));

/** Stores evidence as {@link noteEvidence} does, in the caller's transaction. */
export const noteEvidenceIn = async (
  tx: PoolClient,
  { id, deviceId }: { id: string; deviceId: string },
  evidence: NewEvidence,
): Promise<CommandStateName | undefined> => {
  const found = await tx.query<Row>(
    sql`select confirmed, state from command where id = ${id} and device_id = ${deviceId} for update`,
  );
  const [command] = found.rows;
  if (command === undefined) return undefined;
  const known = await readEvidence(tx, id);
  const order = stateOrder(command.confirmed);
  const isHigher = evidence.kind !== 'noted' && order.indexOf(evidence.kind) > order.indexOf(command.state);
  if (known.length >= most && !isHigher) return command.state;
  await tx.query(sql`
    insert into command_evidence (command_id, source, kind, code, detail)
    values (${id}, ${evidence.source}, ${evidence.kind}, ${evidence.code ?? null}, ${jsonOf(evidence.detail)}::json)`);
  return storeState(tx, id, command.confirmed);
};

const storeState = async (tx: PoolClient, id: string, confirmed: boolean): Promise<CommandStateName> => {
  const { state, by } = findState(await readEvidence(tx, id), confirmed);
  await tx.query(sql`
    update command set state = ${state}, code = ${by?.code ?? null}, detail = ${jsonOf(by?.detail)}::json, open = ${isOpen(state)},
           state_at = case when state = ${state} then state_at else clock_timestamp() end
     where id = ${id}`);
  return state;
};

const readEvidence = async (tx: PoolClient, id: string): Promise<Evidence[]> => {
  const { rows } = await tx.query<Evidence>(sql`
    select kind, extract(epoch from at)::float8 * 1000 as at, code, detail from command_evidence where command_id = ${id}`);
  return rows;
};

const jsonOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);
