import DataLoader from 'dataloader';
import sql, { empty, type Sql } from 'sql-template-tag';
import { can, policies } from '#auth/policies.js';
import type { Caller } from '#entities/caller.js';
import { type Command, type CommandEvidence, type CommandStateName } from '#entities/command.js';
import { earliestId, endId, isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import type { Listing } from './list-read.js';
import { loadById, loaderOf } from './loader.js';

/** A filter of commands. A command must meet all given conditions. Times are Unix seconds of its sending. */
export interface CommandFilter {
  deviceId?: string | null;
  state?: CommandStateName | null;
  name?: string | null;
  key?: string | null;
  from?: number | null;
  to?: number | null;
}

/** Number up to which commands are counted. */
const countUpTo = 10_000;
/** Timeout of a page of commands, in milliseconds. Those that match a filter may be few among many. */
const timeout = 5000;

/**
 * Selects commands, as `c`, with their device as `d`. Parameters and payload of secret commands are there for those who
 * may send them. `also` adds columns, after a comma.
 */
export const commandRows = (caller: Caller, also: Sql = empty): Sql => {
  const shown = (value: Sql) => sql`case when not c.secret or ${can(caller, policies.command.send)} then ${value} end`;
  return sql`
    select c.id, c.organization_id as "organizationId", c.device_id as "deviceId", c.name, ${shown(sql`c.parameters`)} as parameters,
           ${shown(sql`encode(c.payload, 'hex')`)} as payload, c.stream_id as "streamId", c.stream_type as "streamType", c.confirmed, c.secret,
           c.key, c.sender, c.created_at as "createdAt", c.expires_at as "expiresAt", c.state, c.code, c.detail, c.state_at as "stateAt"${also}
      ${from}`;
};

const from = sql`from command c left join device d on d.id = c.device_id`;

/**
 * Returns the condition that the caller can read a command: its device, or, where that is deleted, all of the
 * organization's devices.
 */
export const canReadCommand = (caller: Caller): Sql => can(caller, policies.command.read);

/** Defines a list of the commands that the caller can read, the newest first. */
export const commandListing = (caller: Caller, where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => commandRows(caller, also),
  from,
  where: [...where, canReadCommand(caller)],
  sortable: { id: sql`c.id`, createdAt: sql`c.id` },
  order: sql`c.id`,
  descending: true,
  tie: sql`c.id`,
  countUpTo,
  timeout,
});

/** Returns the conditions on `command c` of a filter. An invalid identifier matches nothing. */
export const commandConditions = ({ deviceId, state, name, key, from: first, to }: CommandFilter): Sql[] => [
  ...(deviceId == null ? [] : [isId(deviceId) ? sql`c.device_id = ${deviceId}::uuid` : sql`false`]),
  ...(state == null ? [] : [sql`c.state = ${state}`]),
  ...(name == null ? [] : [sql`c.name = ${name}`]),
  ...(key == null ? [] : [sql`c.key = ${key}`]),
  ...(first == null ? [] : [sql`c.id >= ${earliestId(first)}::uuid`]),
  ...(to == null ? [] : [sql`c.id < ${endId(to)}::uuid`]),
];

/** Loads a command by its identifier; null if the caller cannot read it. */
export const loadCommandById = (ctx: Context, commandId: string): Promise<Command | null> =>
  loadById(
    ctx,
    'command',
    commandId,
    (ids) => sql`${commandRows(ctx.caller)} where c.id = any(${ids}::uuid[]) and ${canReadCommand(ctx.caller)}`,
  );

/** Loads the evidence of a command, in the order in which it came. */
export const loadEvidence = (ctx: Context, command: Pick<Command, 'id'>): Promise<CommandEvidence[]> => {
  const make = () =>
    new DataLoader<string, CommandEvidence[]>(async (ids) => {
      const rows = await ctx.read<CommandEvidence & { commandId: string }>(sql`
        select command_id as "commandId", at, source, kind, code, detail from command_evidence
         where command_id = any(${ids}::uuid[]) order by command_id, id`);
      const byCommand = Map.groupBy(rows, ({ commandId }) => commandId);
      return ids.map((id) => byCommand.get(id) ?? []);
    });
  return loaderOf(ctx, 'command.evidence', make).load(command.id);
};
