import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { CommandState, type CommandStateName } from '#entities/command.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { withCommand } from '#listing/sent-command.args.js';
import { choice, id, ids, label, mark, unixTime, whole } from '#schema/fields.js';
import { PageArgs } from '#schema/list.args.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** A new command. */
@ArgsType()
export class SendCommandArgs extends withCommand(DeviceArgs) {
  @mark(
    'Key of your choice: the same key for the same device is the same command, for as long as that is kept. A tool can so repeat a call.',
    200,
  )
  key?: string | null;
}

/** Selects commands. */
@ArgsType()
export class CommandsBelowArgs extends PageArgs {
  @choice(() => CommandState, 'Only commands in this state.', { optional: true }) state?: CommandStateName | null;
  @label('Only commands of this name.', 100, { optional: true }) name?: string | null;
  @label('Only commands with this key, as one call gives it to many devices.', 200, { optional: true })
  key?: string | null;
  @unixTime('Only commands sent at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only commands sent at this time or earlier: Unix seconds.') to?: number | null;
}

/** A list of commands of an organization. */
@ArgsType()
export class CommandsArgs extends CommandsBelowArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Only commands to this device.', { optional: true }) deviceId?: string | null;
}

/** Identifies a command. */
@ArgsType()
export class CommandArgs extends OrganizationArgs {
  @id('Identifier of the command.') commandId!: string;
}

/** Selects commands of a device to cancel. */
@ArgsType()
export class CancelCommandsArgs extends DeviceArgs {
  @ids('Only these commands.') ids?: string[] | null;
}

/** A device that asks for its commands. */
@ArgsType()
export class TakeCommandsArgs extends DeviceArgs {
  @whole('Seconds to wait for a command if there is none. Absent: 0.', 0, 60, { optional: true }) wait?: number | null;
  @whole('Maximum number of commands. Absent: 10.', 1, 100, { optional: true }) limit?: number | null;
}

/** An answer of a device. */
@ArgsType()
export class AnswerCommandArgs extends DeviceArgs {
  @id('Identifier of the command.') commandId!: string;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Result of the device, at most 4 kB of JSON.' })
  result?: unknown;
  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'Error of the device, at most 4 kB of JSON, in place of a result.',
  })
  error?: unknown;
}

/** New desired values. */
@ArgsType()
export class SetDesiredStateArgs extends DeviceArgs {
  @Field(() => GraphQLJSONObject, {
    description: 'Values by name: numbers, booleans, or texts of at most 1 kB; null takes the value away. Others stay.',
  })
  desired!: Record<string, unknown>;
}

/** A report of a device. */
@ArgsType()
export class ReportStateArgs extends DeviceArgs {
  @Field(() => GraphQLJSONObject, {
    description: 'Values by name: numbers, booleans, or texts of at most 1 kB; null takes the value away. Others stay.',
  })
  reported!: Record<string, unknown>;
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'Versions of desired values by name, which the device answers: another value than the desired one is then its last word.',
  })
  versions?: Record<string, unknown> | null;
}
