import { Max, Min, ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType, Int } from 'type-graphql';
import { daySeconds } from '#common/time.js';
import { CalendarInterval, DeviceCombination, DeviceReduction, GroupFill, GroupSplit } from '#entities/group-series.js';
import { DeviceFilterInput, deviceFilter } from '#listing/device-filter.args.js';
import { choice, id, label, unixTime, whole } from '#schema/fields.js';

@InputType({
  description: 'A group of devices, by exactly one of its fields: `{applicationId: "..."}`, `{tag: "meter"}`.',
})
export class GroupInput {
  @id('Devices linked to this application.', { optional: true }) applicationId?: string | null;
  @id('Devices of this product.', { optional: true }) productId?: string | null;
  @id('Devices that were at this site, or below it, at the time of the record.', { optional: true })
  siteId?: string | null;
  @label('Devices with this tag.', 64, { optional: true }) tag?: string | null;
  @Field(() => DeviceFilterInput, { nullable: true, description: 'Devices that match a filter; all with `{}`.' })
  @ValidateNested()
  devices?: DeviceFilterInput | null;
}

/** Range, buckets and functions of lines over many devices. */
@ArgsType()
export class GroupSeriesForm {
  @label('Name of the variable.', 100) variable!: string;
  @unixTime('Start of the range in Unix seconds, included; by default a day before `to`.') from?: number | null;
  @unixTime('End of the range in Unix seconds, excluded; by default now.') to?: number | null;

  @whole(
    'Length of a bucket in seconds. Buckets are aligned to 1970 in UTC. Without `interval`, `calendarInterval` and `points`, the whole range is one bucket.',
    1,
    31_622_400,
    { optional: true },
  )
  interval?: number | null;

  @choice(() => CalendarInterval, 'Calendar unit of a bucket, instead of `interval`.', { optional: true })
  calendarInterval?: CalendarInterval | null;

  @label(
    'Time zone of calendar units, such as `Europe/Berlin` or `+01:00`; by default that of the organization.',
    100,
    { optional: true },
  )
  timeZone?: string | null;

  @whole(
    'Maximum number of points per line, instead of `interval`. Buckets have the shortest standard length that stays within it.',
    3,
    5000,
    { optional: true },
  )
  points?: number | null;

  @Field(() => DeviceReduction, {
    defaultValue: DeviceReduction.avg,
    description: 'Function that reduces the values of a device in a bucket.',
  })
  perDevice: DeviceReduction = DeviceReduction.avg;

  @Field(() => DeviceCombination, {
    defaultValue: DeviceCombination.avg,
    description: 'Function that combines the numbers of the devices of a line.',
  })
  combine: DeviceCombination = DeviceCombination.avg;

  @Field(() => GroupSplit, {
    defaultValue: GroupSplit.none,
    description: 'Attribute that splits the group into lines.',
  })
  split: GroupSplit = GroupSplit.none;

  @label('State whose time `timeInState` counts; by default `true`.', 200, { optional: true }) state?: string | null;

  @Field(() => GroupFill, {
    defaultValue: GroupFill.none,
    description:
      'Treatment of buckets in which a device has no value. `previous` is for `avg`, `min`, `max` and `last` of each device.',
  })
  fill: GroupFill = GroupFill.none;

  @Field(() => Int, {
    defaultValue: daySeconds,
    description:
      'Seconds for which a silent device keeps its number (`fill: previous`) or its state (`timeInState`), 1 to 2678400.',
  })
  @Min(1)
  @Max(31 * daySeconds)
  maxAge: number = daySeconds;

  @Field(() => Int, {
    defaultValue: 1,
    description: 'Number of devices with a number, at least 1, below which a bucket is left out.',
  })
  @Min(1)
  @Max(1_000_000_000)
  minDevices: number = 1;
}

@ArgsType()
export class GroupSeriesBelowArgs extends GroupSeriesForm {
  @deviceFilter("Filter of the application's devices; by default all.") filter?: DeviceFilterInput | null;
}

@ArgsType()
export class GroupSeriesArgs extends GroupSeriesForm {
  @id('Identifier of the organization.') organizationId!: string;

  @Field(() => GroupInput, { description: 'The devices.' })
  @ValidateNested()
  over!: GroupInput;
}
