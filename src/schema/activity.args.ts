import { ArgsType } from 'type-graphql';
import { unixTime, whole } from './fields.js';

/** Time range of an activity and its bucket length. */
@ArgsType()
export class ActivityArgs {
  @unixTime('From then on: Unix seconds; a day before `to` unless given.') from?: number | null;
  @unixTime('Up to then: Unix seconds; now unless given.') to?: number | null;
  @whole(
    'Length of a bucket in seconds; unless given the shortest usual one (1 min, 2 min, 5 min, ... 1 h, ... whole days) that makes at most 100. Buckets are counted from 1970 on, in UTC, and are whole, also those at both ends; at most 1000.',
    60,
    31_622_400,
    { optional: true },
  )
  interval?: number | null;
}
