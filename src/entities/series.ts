import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { VariableType } from './enums.js';
import { UnixTime } from './scalars.js';

/** Functions that reduce the values of a bucket to one point. */
export enum SeriesFunction {
  avg = 'avg',
  min = 'min',
  max = 'max',
  sum = 'sum',
  count = 'count',
  first = 'first',
  last = 'last',
  lttb = 'lttb',
}

registerEnumType(SeriesFunction, {
  name: 'SeriesFunction',
  description: 'Function that reduces the values of a bucket to one point of a series.',
  valuesConfig: {
    avg: { description: 'Mean of the values.' },
    min: { description: 'The smallest value.' },
    max: { description: 'The largest value.' },
    sum: { description: 'Sum of the values.' },
    count: { description: 'Number of values.' },
    first: { description: 'The value measured first.' },
    last: { description: 'The value measured last.' },
    lttb: {
      description:
        'No buckets: a selection of `points` measured points that preserves the shape of the line (Largest-Triangle-Three-Buckets).',
    },
  },
});

@ObjectType({
  description: 'One line of a chart: a variable of a device over time, as two columns of the same length.',
})
export class Series {
  @Field(() => ID, { description: 'Identifier of the device.' }) deviceId!: string;
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => VariableType, {
    nullable: true,
    description: "Type of the variable, if the device's product declares it.",
  })
  type?: VariableType | null;
  @Field(() => String, { nullable: true, description: "Unit of the values, if the device's product declares one." })
  unit?: string | null;
  @Field(() => Int, {
    nullable: true,
    description: 'Length of a bucket in seconds; null if there are no buckets (lttb).',
  })
  interval?: number | null;
  @Field(() => [UnixTime], {
    description:
      'Times in Unix seconds, ascending: the start of each bucket, or (lttb) the time of each measured point. Empty buckets are omitted.',
  })
  ts!: number[];
  @Field(() => [Float], { description: 'The value at each of the times. For BOOL, 1 is true and 0 is false.' })
  values!: number[];
}
