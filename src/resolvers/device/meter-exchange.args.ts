import { Max, Min } from 'class-validator';
import { ArgsType, Field } from 'type-graphql';
import { UnixTime } from '#entities/scalars.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { label, number } from '#schema/fields.js';

/** Identifies an exchange of a device's meter. */
@ArgsType()
export class MeterExchangeArgs extends DeviceArgs {
  @label('Name of the variable that the meter counts.', 100) variable!: string;

  @Field(() => UnixTime, { description: 'Time from which the new meter counts, in Unix seconds.' })
  @Min(0)
  @Max(1e14)
  ts!: number;
}

@ArgsType()
export class DeclareMeterExchangeArgs extends MeterExchangeArgs {
  @number('First value of the new meter.', -1e300, 1e300) value!: number;
}
