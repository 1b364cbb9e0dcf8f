import sql, { empty, join, type Sql } from 'sql-template-tag';
import { Args, Ctx, Field, FieldResolver, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { authorize, loadDevice } from '#auth/access.js';
import { change, execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import type { CommitBus } from '#common/commit-bus.js';
import { conflict, notFound } from '#common/errors.js';
import { cancelCommands, insertCommand, maxOpen, type NewCommand } from '#downlink/command-rows.js';
import { GraphOnly } from '#entities/columns.js';
import { CancelledCommands, Command, CommandEvidence } from '#entities/command.js';
import { Device } from '#entities/device.js';
import { isId } from '#entities/id.js';
import { canReadCommand, commandConditions, commandListing, commandRows, loadEvidence } from '#listing/commands.js';
import { loadDeviceById } from '#listing/devices.js';
import { list, listBelow } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { CommandPage } from '#schema/pages.js';
import { CancelCommandsArgs, CommandArgs, CommandsArgs, CommandsBelowArgs, SendCommandArgs } from './command.args.js';
import { readCommand, requireSame, type SameKey } from './new-command.js';

@ObjectType({ description: 'Evidence about a command.' })
export class CommandEvidences {
  @Field(() => [CommandEvidence], { description: 'The evidence, in the order in which it came, at most about 100.' })
  evidence!: CommandEvidence[];
}

/** Resolves commands for the people and tools that send them. */
@Resolver(() => Command)
export class CommandResolver {
  constructor(
    private readonly bus: Pick<CommitBus, 'emit'>,
    private readonly clock: () => number,
  ) {}

  @Mutation(() => Command, {
    description:
      'Sends a command to a device. It waits until the device or its network server takes it, or until it expires. Owners may do this, and members with the permission `write` on an application of the device.',
  })
  async sendCommand(@Args(() => SendCommandArgs) args: SendCommandArgs, @Ctx() ctx: Context): Promise<Command> {
    const device = await loadDevice(ctx, args, policies.command.send);
    const command = await readCommand(ctx, device, args, this.clock());
    const { id, key, name, parameters, payload, secret } = command;
    const told = secret ? 'secret' : (parameters ?? payload!.toString('hex'));
    const isNew = await change(ctx, insertCommand(command), targetOf('Device', device), {
      command: [null, { id, name, content: told } as never],
    });
    if (isNew) {
      this.bus.emit('downlink', [device.id]);
      return this.load(ctx, sql`c.id = ${id}`);
    }
    const [stored] = key === null ? [] : await ctx.read<SameKey>(withKey(command));
    if (stored === undefined)
      throw conflict(`${maxOpen} commands wait for this device already: cancel some, or let them expire.`);
    requireSame(stored, command);
    return this.load(ctx, sql`c.id = ${stored.id}`);
  }

  @Query(() => CommandPage, {
    description: "The commands to the organization's devices that the caller can read, the newest first.",
  })
  commands(@Args(() => CommandsArgs) args: CommandsArgs, @Ctx() ctx: Context): Promise<CommandPage> {
    authorize(ctx, args.organizationId, policies.organization.read);
    const where = [sql`c.organization_id = ${args.organizationId}`, ...commandConditions(args)];
    return list<Command>(ctx, commandListing(ctx.caller, where), args);
  }

  @Query(() => Command, { description: 'A command.' })
  async command(
    @Args(() => CommandArgs) { organizationId, commandId }: CommandArgs,
    @Ctx() ctx: Context,
  ): Promise<Command> {
    if (organizationId !== ctx.caller.organizationId || !isId(commandId)) throw notFound('command');
    return this.load(ctx, sql`c.id = ${commandId} and c.organization_id = ${organizationId}`);
  }

  @Query(() => CommandEvidences, { description: 'The evidence about a command.' })
  async commandEvidence(@Args(() => CommandArgs) args: CommandArgs, @Ctx() ctx: Context): Promise<CommandEvidences> {
    return { evidence: await loadEvidence(ctx, await this.command(args, ctx)) };
  }

  @Mutation(() => CancelledCommands, {
    description:
      'Cancels commands to a device that wait, or that were handed over and not answered. A device that has one already may still act on it, which its evidence then shows.',
  })
  async cancelCommands(
    @Args(() => CancelCommandsArgs) { ids, ...args }: CancelCommandsArgs,
    @Ctx() ctx: Context,
  ): Promise<CancelledCommands> {
    const device = await loadDevice(ctx, args, policies.command.send);
    const which = sql`c.device_id = ${device.id}::uuid ${ids == null ? empty : sql`and ${among(ids)}`}`;
    return ctx.em.transactional(async (em) => {
      const [cancelled] = await execute<CancelledCommands>(em, cancelCommands(which));
      ctx.audit.about(targetOf('Device', device), { cancelledCommands: [null, cancelled!.count] });
      return cancelled!;
    });
  }

  @FieldResolver(() => [CommandEvidence], {
    description: 'Evidence about the command, in the order in which it came, at most about 100.',
  })
  @GraphOnly()
  evidence(@Root() command: Command, @Ctx() ctx: Context): Promise<CommandEvidence[]> {
    return loadEvidence(ctx, command);
  }

  @FieldResolver(() => Device, { nullable: true, description: 'Device of the command; null once it is deleted.' })
  @GraphOnly()
  device(@Root() { deviceId }: Command, @Ctx() ctx: Context): Promise<Device | null> {
    return loadDeviceById(ctx, deviceId);
  }

  private async load(ctx: Context, where: Sql): Promise<Command> {
    const [command] = await ctx.read<Command>(
      sql`${commandRows(ctx.caller)} where ${where} and ${canReadCommand(ctx.caller)}`,
    );
    if (command === undefined) throw notFound('command');
    return command;
  }
}

/** Resolves the commands of devices. */
@Resolver(() => Device)
export class DeviceCommandsResolver {
  @FieldResolver(() => CommandPage, { description: 'Commands to the device, the newest first.' })
  @GraphOnly()
  commands(
    @Root() { id }: Device,
    @Args(() => CommandsBelowArgs) args: CommandsBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<CommandPage> {
    const where = [sql`c.device_id = parent.id`, ...commandConditions(args)];
    return listBelow(ctx, 'device.commands', id, () => commandListing(ctx.caller, where), args);
  }
}

const withKey = ({ deviceId, key }: NewCommand): Sql => sql`
  select id, name, parameters, payload, stream_id as "streamId" from command where device_id = ${deviceId} and key = ${key}`;

/** Returns the condition that `command c` is one of these. */
const among = (ids: readonly string[]): Sql => {
  const valid = ids.filter(isId);
  return valid.length === 0 ? sql`false` : sql`c.id in (${join(valid)})`;
};
