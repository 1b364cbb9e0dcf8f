import { ArrayMaxSize, ArrayMinSize, Length, Max, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { SeriesFunction } from '#entities/series.js';
import { choice, id, ids, labels, unixTime, whole } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Range and buckets of the lines in a chart. */
@ArgsType()
class BucketForm {
  @unixTime('Start of the range in Unix seconds, included; by default a day before `to`.') from?: number | null;
  @unixTime('End of the range in Unix seconds, included; by default now.') to?: number | null;

  @Field(() => Int, {
    defaultValue: 300,
    description:
      'Maximum number of points per line, 3 to 5000. Buckets have the shortest standard length (1 s, 2 s, 5 s, ... 1 h, ... whole days) that stays within it.',
  })
  @Min(3)
  @Max(5000)
  points: number = 300;

  @whole('Length of a bucket in seconds, instead of `points`. Buckets are aligned to 1970 in UTC.', 1, 31_622_400, {
    optional: true,
  })
  interval?: number | null;
}

/** Form of the lines in a chart. */
@ArgsType()
class SeriesForm extends BucketForm {
  @choice(() => SeriesFunction, 'Function that reduces a bucket to one point; by default `avg`.', { optional: true })
  function?: SeriesFunction | null;
}

/** Variables and form of the lines in a chart. */
@ArgsType()
export class SeriesBelowArgs extends SeriesForm {
  @Field(() => [String], { description: 'Names of variables, 1 to 20, with a line for each.' })
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @Length(1, 100, { each: true })
  variables!: string[];
}

/** Number of a device's variables that are drawn by default. */
export const defaultVariables = 6;

/** Variables and form of the lines in one device's chart. */
@ArgsType()
export class DeviceSeriesArgs extends SeriesForm {
  @labels(
    `Names of variables, at most 20, with a line for each. By default the first ${defaultVariables} numeric or boolean variables of the device's product.`,
    20,
    100,
  )
  variables?: string[] | null;

  @whole(
    'Number of significant digits, 3 to 15, to which values are rounded; digits before the point are kept. By default values are exact.',
    3,
    15,
    { optional: true },
  )
  digits?: number | null;
}

/** Variables and buckets of one device's states. */
@ArgsType()
export class StatesArgs extends BucketForm {
  @Field(() => [String], { description: 'Names of variables, 1 to 20, each with its states.' })
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @Length(1, 100, { each: true })
  variables!: string[];
}

/** Variables and form of the lines for the named devices, or for those of an application. */
@ArgsType()
export class SeriesArgs extends SeriesBelowArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @ids('Identifiers of the devices.') deviceIds?: string[] | null;
  @id('Instead of `deviceIds`: the devices of this application, at most 100.', { optional: true })
  applicationId?: string | null;
}

/** Selects the devices whose newest values are read, by identifier or by application. */
@ArgsType()
export class LatestArgs extends OrganizationArgs {
  @ids('Identifiers of the devices.') deviceIds?: string[] | null;
  @id('Instead of `deviceIds`: the devices of this application, at most 100.', { optional: true })
  applicationId?: string | null;
  @labels('Only these variables.', 100, 100) variables?: string[] | null;
}
