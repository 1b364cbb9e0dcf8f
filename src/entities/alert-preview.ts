import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { EpisodeRecord } from './episode.js';
import { PreviewStop } from './text-enums.js';

@ObjectType({ description: 'An episode that a rule would have opened.' })
export class PreviewedEpisode {
  @Field(() => ID, { description: 'Device of the episode.' }) deviceId!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which the episode would have opened.' }) openedAt!: string;
  @Field(() => EpisodeRecord, {
    nullable: true,
    description: 'Record that would have opened the episode; null if none would have.',
  })
  openedBy?: EpisodeRecord | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time at which the episode would have closed; null if it would still be open.',
  })
  closedAt?: string | null;
  @Field(() => EpisodeRecord, {
    nullable: true,
    description: 'Record that would have closed the episode; null if none would have.',
  })
  closedBy?: EpisodeRecord | null;
}

@ObjectType({ description: 'The episodes that a rule would have opened over the last week.' })
export class AlertRulePreview {
  @Field(() => GraphQLDateTimeISO, { description: 'Start of the previewed week.' }) from!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'End of the previewed week, which is now.' }) to!: string;
  @Field(() => Int, { description: 'Number of episodes that the rule would have opened.' }) episodeCount!: number;
  @Field(() => Int, { description: 'Number of devices for which the rule would have opened an episode.' })
  deviceCount!: number;
  @Field(() => Int, { description: 'Number of devices whose records were read.' }) devicesRead!: number;
  @Field(() => Int, { description: 'Number of records that were read.' }) recordsRead!: number;
  @Field(() => Boolean, {
    description:
      'Whether the preview covers all devices and records: false above 1,000 devices, 200,000 records or ten seconds, when the query of a condition timed out, and for an unsettled rule.',
  })
  isComplete!: boolean;
  @RestScalar('String')
  @Field(() => PreviewStop, {
    nullable: true,
    description:
      'Reason why the preview is not complete: `time`, `query`, `records`, `devices` or `history`; null if it is. Without all records, the rule may have opened more episodes.',
  })
  incompleteReason?: string | null;
  @Field(() => [PreviewedEpisode], { description: 'The first 500 episodes, device by device.' })
  episodes!: PreviewedEpisode[];
}
