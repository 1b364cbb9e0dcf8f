import { ArgsType } from 'type-graphql';
import { unixTime, whole } from '#schema/fields.js';

/** Time range of an activity and its bucket length. */
@ArgsType()
export class ActivityArgs {
  @unixTime('Start of the range in Unix seconds; by default a day before `to`.') from?: number | null;
  @unixTime('End of the range in Unix seconds; by default now.') to?: number | null;
  @whole(
    'Length of a bucket in seconds. By default the shortest standard length (1 min, 2 min, 5 min, ... 1 h, ... whole days) that gives at most 100 buckets. Buckets are aligned to 1970 in UTC and are whole, even at both ends of the range; at most 1000.',
    60,
    31_622_400,
    { optional: true },
  )
  interval?: number | null;
}
