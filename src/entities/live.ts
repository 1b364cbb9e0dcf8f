import { Field, Int, ObjectType } from 'type-graphql';
import type { Command } from './command.js';
import { Delivery } from './delivery.js';
import type { Device } from './device.js';
import { Episode } from './episode.js';
import { Job } from './job.js';
import { DeviceRecord } from './record.js';

const missed =
  "Number of earlier items that were dropped, because they were not fetched in time, are too large to send, or waited too long for the subscription's query. A query finds the missed items.";

@ObjectType({ description: 'The fields of every event.' })
abstract class LiveEvent {
  @Field(() => Int, { description: missed }) missed!: number;
  @Field(() => String, {
    description:
      'Cursor of the event. Subscribe again with it as `after` to receive first what has happened since. It is valid for an hour. After ten minutes without news, an empty event brings a newer cursor.',
  })
  cursor!: string;
}

@ObjectType({ description: 'New records. The first event is empty; from then on no record is missed.' })
export class RecordsReceived extends LiveEvent {
  @Field(() => [DeviceRecord], { description: 'The records, as they were stored.' })
  records!: readonly DeviceRecord[];
}

@ObjectType({ description: 'Deliveries that changed. The first event is empty; from then on no change is missed.' })
export class DeliveriesUpdated extends LiveEvent {
  @Field(() => [Delivery], { description: 'The deliveries in their present state.' }) deliveries!: readonly Delivery[];
}

@ObjectType({ description: 'Jobs that progressed. The first event is empty; from then on no progress is missed.' })
export class JobsUpdated extends LiveEvent {
  @Field(() => [Job], { description: 'The jobs in their present state.' }) jobs!: readonly Job[];
}

@ObjectType({ description: 'Episodes that changed. The first event is empty; from then on no change is missed.' })
export class EpisodesChanged extends LiveEvent {
  @Field(() => [Episode], { description: 'The episodes in their present state.' }) episodes!: readonly Episode[];
}

@ObjectType({ description: 'Devices that changed. The first event is empty; from then on no change is missed.' })
export class DevicesChanged extends LiveEvent {
  /** Identifiers of the devices. */
  ids!: readonly string[];
  /** The devices, which are loaded for each event. */
  devices!: readonly Device[];
}

@ObjectType({ description: 'Commands that changed. The first event is empty; from then on no change is missed.' })
export class CommandsUpdated extends LiveEvent {
  /** Identifiers of the commands. */
  ids!: readonly string[];
  /** The commands, which are loaded for each event. */
  commands!: readonly Command[];
}

/** Maximum length of a cursor in characters, reached when its snapshot lists some hundred transactions. */
export const maxCursorCharacters = 20_000;
