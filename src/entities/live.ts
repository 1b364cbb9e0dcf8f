import { Field, Int, ObjectType } from 'type-graphql';
import { Delivery } from './delivery.js';
import type { Device } from './device.js';
import { Episode } from './episode.js';
import { Job } from './job.js';
import { DeviceRecord } from './record.js';

const missed =
  'How many came before these and were dropped because they were not fetched in time, are too large to be told, or waited too long for the query of the subscription. What was missed is found by a query.';

/** The fields of every event of live data. */
@ObjectType({ description: 'What every event has.' })
abstract class LiveEvent {
  @Field(() => Int, { description: missed }) missed!: number;
  @Field(() => String, {
    description:
      'Subscribe again with this as `after` to be told first of what came since. It is good for an hour; after ten minutes without news an event without any brings a newer one.',
  })
  cursor!: string;
}

/** New records. */
@ObjectType({ description: 'Records that came. The first event is empty: from then on nothing goes by untold.' })
export class RecordsReceived extends LiveEvent {
  @Field(() => [DeviceRecord], { description: 'The records, as they were committed.' })
  records!: readonly DeviceRecord[];
}

/** Deliveries that changed. */
@ObjectType({ description: 'Deliveries that changed. The first event is empty: from then on nothing goes by untold.' })
export class DeliveriesUpdated extends LiveEvent {
  @Field(() => [Delivery], { description: 'The deliveries, as they are now.' }) deliveries!: readonly Delivery[];
}

/** Jobs that progressed. */
@ObjectType({ description: 'Jobs that went on. The first event is empty: from then on nothing goes by untold.' })
export class JobsUpdated extends LiveEvent {
  @Field(() => [Job], { description: 'The jobs, as they are now.' }) jobs!: readonly Job[];
}

/** Episodes that changed. */
@ObjectType({ description: 'Episodes that changed. The first event is empty: from then on nothing goes by untold.' })
export class EpisodesChanged extends LiveEvent {
  @Field(() => [Episode], { description: 'The episodes, as they are now.' }) episodes!: readonly Episode[];
}

/** Devices that changed. */
@ObjectType({ description: 'Devices that changed. The first event is empty: from then on nothing goes by untold.' })
export class DevicesChanged extends LiveEvent {
  /** Identifiers of the devices. */
  ids!: readonly string[];
  /** The devices, which are loaded for each event. */
  devices!: readonly Device[];
}

/** Maximum length of a cursor in characters, reached when its snapshot lists some hundred transactions. */
export const maxCursorCharacters = 20_000;
