import type { PoolClient } from 'pg';
import sql, { join, type Sql } from 'sql-template-tag';
import { can, isAllowed as mayDo, policies } from '#auth/policies.js';
import { constraintError } from '#common/constraints.js';
import { forbidden, notFound } from '#common/errors.js';
import type { Caller, ReadingCall } from '#entities/caller.js';
import { Role, TokenScope } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import type { DeviceFilterInput } from '#listing/device-filter.args.js';
import { conditionsOf } from '#listing/list.js';
import type { Silence } from '#listing/silent-filter.js';
import { batchSize } from './device-batch.args.js';
import { applyTo, chosenListing, type DeviceAction, isAllowed, lockDevices } from './device-batch.js';

/** Timeout of finding the silent devices of a step, in milliseconds. */
const silenceTimeout = 10_000;

/** Input of a job: the change, and the caller who requested it. */
export interface DeviceBatchInput {
  action: DeviceAction;
  /** The member who requested the job; null for the organization itself. */
  userId: string | null;
  q: string | null;
  filter: DeviceFilterInput | null;
  /** Devices registered after this time (ISO 8601) were not counted, and are not changed. */
  before: string;
  total: number;
}

/** A running job. */
interface BatchJob {
  organizationId: string;
  input: PlainJson;
  cursor: PlainJson;
}

/** Creates the steps of the jobs that change many devices. */
export const createDeviceBatchSteps = (index: Silence) => {
  const change = createDeviceBatchStep(index);
  return {
    tagDevices: change,
    untagDevices: change,
    linkDevices: change,
    unlinkDevices: change,
    moveDevices: change,
    deleteDevices: change,
    sendCommands: change,
  };
};

/**
 * Creates the step of a job that changes all matching devices, in the order of their identifiers. The requester must
 * still have the permission; otherwise the job ends. Devices that the action must not change are skipped.
 */
const createDeviceBatchStep = (index: Silence) => async (tx: PoolClient, job: BatchJob) => {
  const { organizationId } = job;
  const input = job.input as unknown as DeviceBatchInput;
  const after = job.cursor as string | null;
  const run = async <Row extends object>(query: Sql) => (await tx.query<Row>(query)).rows;
  const caller = await callerOf(run, organizationId, input.userId);
  await requireAllowed(run, caller, input.action);
  const { silentSince, ...filter } = input.filter ?? {};
  const conditions = [
    ...conditionsOf(chosenListing(caller, { organizationId, filter }), input.q),
    sql`d.created_at <= ${input.before}::timestamptz`,
    isAllowed(caller, input.action),
    ...(after === null ? [] : [sql`d.id > ${after}::uuid`]),
  ];
  const where = sql`where ${join(conditions, ' and ')}`;
  const next = sql`order by d.id limit ${batchSize}`;
  const looked =
    silentSince == null ? undefined : await run<{ id: string }>(sql`select d.id from device d ${where} ${next}`);
  const lookedIds = looked?.map(({ id }) => id);
  // Nothing is locked while the index is queried.
  const silent = lookedIds && (await index.silentDevices(callOf(caller), lookedIds, silentSince!, silenceTimeout));
  const ids = await lockDevices(
    run,
    silent ? sql`${where} and d.id = any(${silent}::uuid[]) order by d.id` : sql`${where} ${next}`,
  );
  const { changed } = await applyTo(run, input.action, ids, { all: false }).catch((error: unknown) => {
    throw constraintError(error) ?? error;
  });
  const page = lookedIds ?? ids;
  return {
    cursor: page.at(-1) ?? after,
    done: ids.length,
    changed,
    ...(after === null && { total: input.total }),
    finished: page.length < batchSize,
  };
};

/** Returns a call without limits: no client waits for a job, so its rows are not weighed and it has no deadline. */
const callOf = (caller: Caller): ReadingCall => ({
  caller,
  signal: new AbortController().signal,
  weighRows: () => undefined,
  timeLeft: () => undefined,
});

type Run = Parameters<typeof lockDevices>[0];

/** Returns the requester of the job, with the present role. */
async function callerOf(run: Run, organizationId: string, userId: string | null): Promise<Caller> {
  const as = (role: Role): Caller => ({
    tokenId: '',
    organizationId,
    userId,
    deviceId: null,
    productId: null,
    applicationId: null,
    tokenName: null,
    userName: null,
    bySession: false,
    role,
    scope: TokenScope.full,
  });
  if (userId === null) return as(Role.owner);
  const [member] = await run<{ role: Role }>(
    sql`select role from membership where organization_id = ${organizationId} and user_id = ${userId}`,
  );
  if (member === undefined) throw forbidden('The user who requested this is no longer a member of the organization.');
  return as(member.role);
}

async function requireAllowed(run: Run, caller: Caller, action: DeviceAction): Promise<void> {
  if ('applicationId' in action) {
    const [found] = await run<{ writable: boolean }>(sql`
      select ${can(caller, policies.application.change)} as writable from application a
       where a.id = ${action.applicationId} and a.organization_id = ${caller.organizationId}`);
    if (found === undefined) throw notFound('application');
    if (!found.writable) throw forbidden('The user who requested this may no longer change the application.');
  } else if (action.kind !== 'sendCommands' && !mayDo(caller, policies.device.change))
    throw forbidden('The user who requested this is no longer an owner of the organization.');
}
