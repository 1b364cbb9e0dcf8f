import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { UnixTime } from './scalars.js';

/** Functions that reduce the values of one device in a bucket to one number. */
export enum DeviceReduction {
  avg = 'avg',
  min = 'min',
  max = 'max',
  last = 'last',
  sum = 'sum',
  count = 'count',
  increase = 'increase',
  rate = 'rate',
  timeInState = 'timeInState',
}

registerEnumType(DeviceReduction, {
  name: 'DeviceReduction',
  description: 'Function that reduces the values of one device in a bucket to one number.',
  valuesConfig: {
    avg: { description: 'Mean of the values.' },
    min: { description: 'The smallest value.' },
    max: { description: 'The largest value.' },
    last: { description: 'The value measured last.' },
    sum: { description: 'Sum of the values.' },
    count: { description: 'Number of values.' },
    increase: {
      description:
        'By how much a counter grew since the value before the bucket. Resets, roll-overs and exchanged meters do not distort it.',
    },
    rate: { description: 'The increase for each second of the bucket.' },
    timeInState: {
      description: 'Seconds in `state`: each value lasts until the next one, and at most `maxAge`.',
    },
  },
});

/** Functions that reduce the numbers of all devices of a line in a bucket to one point. */
export enum DeviceCombination {
  sum = 'sum',
  avg = 'avg',
  min = 'min',
  max = 'max',
  count = 'count',
  p50 = 'p50',
  p95 = 'p95',
  spread = 'spread',
}

registerEnumType(DeviceCombination, {
  name: 'DeviceCombination',
  description: 'Function that reduces the numbers of the devices of a line in a bucket to one point.',
  valuesConfig: {
    sum: { description: 'Sum of the numbers.' },
    avg: { description: 'Mean of the numbers; each device counts the same.' },
    min: { description: 'The smallest number.' },
    max: { description: 'The largest number.' },
    count: { description: 'Number of devices with a number.' },
    p50: { description: 'The median.' },
    p95: { description: 'The number that 95 of 100 devices do not exceed, interpolated.' },
    spread: { description: 'The smallest number, the mean and the largest number: `lowest`, `values`, `highest`.' },
  },
});

/** Attributes by which a group of devices is split into lines. */
export enum GroupSplit {
  none = 'none',
  product = 'product',
  tag = 'tag',
  device = 'device',
  site = 'site',
}

registerEnumType(GroupSplit, {
  name: 'GroupSplit',
  description: 'Attribute by which a group of devices is split into lines.',
  valuesConfig: {
    none: { description: 'One line.' },
    product: { description: 'A line for each product, and one for devices without a product.' },
    tag: {
      description: 'A line for each tag, and one for devices without tags. A device with two tags is in two lines.',
    },
    device: { description: 'A line for each device.' },
    site: {
      description:
        'A line for each site directly below that of the group, or at the top, with what is below it. A device counts where it was at the time of the record.',
    },
  },
});

/** Treatment of buckets in which a device has no value. */
export enum GroupFill {
  none = 'none',
  previous = 'previous',
}

registerEnumType(GroupFill, {
  name: 'GroupFill',
  description: 'Treatment of buckets in which a device has no value.',
  valuesConfig: {
    none: { description: 'The device does not count in the bucket. A silent device is not zero.' },
    previous: { description: 'The device keeps its number of an earlier bucket that began at most `maxAge` before.' },
  },
});

/** Calendar units of buckets. */
export enum CalendarInterval {
  hour = 'hour',
  day = 'day',
  week = 'week',
  month = 'month',
  quarter = 'quarter',
  year = 'year',
}

registerEnumType(CalendarInterval, {
  name: 'CalendarInterval',
  description: 'Calendar unit. A day has 23, 24 or 25 hours where clocks change; a week begins on Monday.',
});

@ObjectType({
  description:
    'One line over many devices, as columns of the same length. A bucket without enough devices is left out.',
})
export class GroupSeries {
  @Field(() => String, {
    nullable: true,
    description:
      'The value that the devices of the line have in common: the identifier of the product, device or site, or the tag. Null if the group is not split, for devices without any, and for `others`.',
  })
  key?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Name of the product or device, the serial of a device without a name, or the tag. Null where `key` is.',
  })
  name?: string | null;

  @Field(() => Boolean, {
    description: 'Whether the line combines the devices of all lines beyond the 100 with the most records.',
  })
  others!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Unit of the variable, if all products of the devices that declare it agree.',
  })
  unit?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Length of a bucket in seconds; null for calendar units and for the whole range.',
  })
  interval?: number | null;

  @Field(() => [UnixTime], { description: 'Starts of the buckets in Unix seconds, ascending.' })
  ts!: number[];

  @Field(() => [Float], { description: 'The values in the order of the times; with `combine: spread` the means.' })
  values!: number[];

  @Field(() => [Float], {
    description: 'The smallest number of a device in the order of the times, with `combine: spread`; otherwise empty.',
  })
  lowest!: number[];

  @Field(() => [Float], {
    description: 'The largest number of a device in the order of the times, with `combine: spread`; otherwise empty.',
  })
  highest!: number[];

  @Field(() => [Int], { description: 'Number of devices that each value combines, in the order of the times.' })
  devices!: number[];

  @Field(() => [Int], {
    description:
      'Number of readable devices that belonged to the line then, silent ones too, in the order of the times.',
  })
  expected!: number[];

  @Field(() => [Int], {
    description: 'Number of `devices` that keep an earlier number (`fill: previous`), in the order of the times.',
  })
  filled!: number[];

  @Field(() => [Int], {
    description:
      'Number of `devices` that ended a gap, in the order of the times: their increase also covers earlier buckets without values.',
  })
  bridged!: number[];
}
