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
  description: 'What a point of a series says of the values in its bucket.',
  valuesConfig: {
    avg: { description: 'Mean of the values.' },
    min: { description: 'The smallest.' },
    max: { description: 'The largest.' },
    sum: { description: 'Sum of the values.' },
    count: { description: 'How many there are.' },
    first: { description: 'The one measured first.' },
    last: { description: 'The one measured last.' },
    lttb: {
      description:
        'No buckets: measured points, as many as selected for, chosen so that the line looks the same (Largest-Triangle-Three-Buckets).',
    },
  },
});

/** One line of a chart. */
@ObjectType({
  description: 'One line of a chart: a variable of a device over time, as two columns of the same length.',
})
export class Series {
  @Field(() => ID, { description: 'Identifier of the device.' }) deviceId!: string;
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => VariableType, {
    nullable: true,
    description: "Type of the variable, where the device's product declares it.",
  })
  type?: VariableType | null;
  @Field(() => String, { nullable: true, description: "Unit of the values, where the device's product declares one." })
  unit?: string | null;
  @Field(() => Int, { nullable: true, description: 'Length of a bucket in seconds; null where there are none (lttb).' })
  interval?: number | null;
  @Field(() => [UnixTime], {
    description:
      'Unix seconds, ascending: where a bucket begins, or (lttb) when a point was measured. Empty buckets are left out.',
  })
  ts!: number[];
  @Field(() => [Float], { description: 'The value at each of these times; of BOOL, 1 is true and 0 is false.' })
  values!: number[];
}
