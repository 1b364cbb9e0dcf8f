import { ArrayMaxSize, ArrayMinSize, Length, MaxLength } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { Serial } from '#entities/scalars.js';
import { type DeviceFilterInput, deviceFilter } from '#listing/device-filter.args.js';
import { withCommand } from '#listing/sent-command.args.js';
import { flag, id, mark, unixTime } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Maximum number of devices that a change takes by identifier, and that it changes at once. */
export const batchSize = 1000;

/** Selects devices to change, by their identifiers or by a filter. */
@ArgsType()
export class DeviceBatchArgs extends OrganizationArgs {
  @Field(() => [ID], { nullable: true, description: 'Devices by their identifiers, at most 1,000.' })
  @ArrayMaxSize(batchSize)
  deviceIds?: string[] | null;
  @Field(() => [Serial], { nullable: true, description: 'Instead: devices by their serials, at most 1,000.' })
  @ArrayMaxSize(batchSize)
  serials?: string[] | null;
  @Field(() => String, {
    nullable: true,
    description: 'Instead of `deviceIds`: all devices that this regular expression matches, as in lists.',
  })
  @MaxLength(256)
  q?: string | null;
  @deviceFilter(
    'Instead of `deviceIds`, alone or with `q`: all devices that match this filter. An empty filter matches all.',
  )
  filter?: DeviceFilterInput | null;
  @flag('Only count the devices, and change nothing.') dryRun?: boolean | null;
}

/** Selects devices, with the tags to add or remove. */
@ArgsType()
export class TagDevicesArgs extends DeviceBatchArgs {
  @Field(() => [String], { description: 'Tags, 1 to 50.' })
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @Length(1, 64, { each: true })
  tags!: string[];
}

/** Selects devices, with the command to send. */
@ArgsType()
export class SendCommandsArgs extends withCommand(DeviceBatchArgs) {
  @mark('Key of your choice, by which `commands` finds them. A device that has a command with it gets no other.', 200)
  key?: string | null;
}

/** Selects devices, with the application to link or unlink. */
@ArgsType()
export class LinkDevicesArgs extends DeviceBatchArgs {
  @id('Identifier of the application.') applicationId!: string;
}

/** Selects devices, with the site at which they are. */
@ArgsType()
export class MoveDevicesArgs extends DeviceBatchArgs {
  @id('Site at which the devices are; null for none.', { optional: true }) siteId?: string | null;
  @unixTime('Time of the move in Unix seconds, at or after the last one of each device. Without it, now.')
  at?: number | null;
}
