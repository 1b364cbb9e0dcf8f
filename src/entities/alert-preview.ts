import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { EpisodeRecord } from './episode.js';

@ObjectType({ description: 'An episode that a rule would have opened.' })
export class PreviewedEpisode {
  @Field(() => ID, { description: 'Device that it would be about.' }) deviceId!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'When it would have opened.' }) openedAt!: string;
  @Field(() => EpisodeRecord, { nullable: true, description: 'Record that would have opened it; none of a silence.' })
  openedBy?: EpisodeRecord | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it would have closed; none where it would be open.',
  })
  closedAt?: string | null;
  @Field(() => EpisodeRecord, { nullable: true, description: 'Record that would have closed it, where one would.' })
  closedBy?: EpisodeRecord | null;
}

@ObjectType({ description: 'What a rule would have done over the last week.' })
export class AlertRulePreview {
  @Field(() => GraphQLDateTimeISO, { description: 'Begin of the week that was looked at.' }) from!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'End of the week that was looked at: now.' }) to!: string;
  @Field(() => Int, { description: 'Number of episodes that the rule would have opened.' }) episodeCount!: number;
  @Field(() => Int, { description: 'Number of devices for which it would have opened one.' }) deviceCount!: number;
  @Field(() => Int, { description: 'Number of devices whose records were read.' }) devicesRead!: number;
  @Field(() => Int, { description: 'Number of records that were read.' }) recordsRead!: number;
  @Field(() => Boolean, {
    description:
      'Whether everything was looked at: false beyond 1,000 devices, 200,000 records or ten seconds, and where the query of a condition could not be answered in time.',
  })
  isComplete!: boolean;
  @Field(() => [PreviewedEpisode], { description: 'The first 500 of the episodes, device by device.' })
  episodes!: PreviewedEpisode[];
}
