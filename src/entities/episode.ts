import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { PlainJson } from '#json/json.js';
import { AlertSeverity } from './alert-rule.js';
import { RestScalar } from './columns.js';
import { DeliveryState } from './delivery.js';
import { Node } from './node.js';
import { EmailAddress, UnixTime } from './scalars.js';
import { words } from './text-enums.js';

export enum EpisodeState {
  open = 'open',
  closed = 'closed',
}

registerEnumType(EpisodeState, { name: 'EpisodeState', description: 'State of an episode.' });

/** Reasons for which an episode closes. */
export const EpisodeEnd = words(
  'cleared',
  'recordsStopped',
  'arrived',
  'settled',
  'unlinked',
  'moved',
  'deviceDeleted',
  'disabled',
  'ruleChanged',
  'ruleDeleted',
);

/** Reasons for which a silence opens although the device may have sent records. */
export const EpisodeStart = words('quota');

registerEnumType(EpisodeStart, {
  name: 'EpisodeStart',
  description: 'Reason why a device may be silent although it sends.',
  valuesConfig: { quota: { description: 'A quota refused records of the organization since the device was heard.' } },
});

registerEnumType(EpisodeEnd, {
  name: 'EpisodeEnd',
  description: 'Reason why an episode closed.',
  valuesConfig: {
    cleared: { description: 'A record met the condition `until`.' },
    recordsStopped: { description: 'No record arrived for `closeAfter`.' },
    arrived: { description: 'A record arrived from the silent device.' },
    settled: { description: 'The device has reported what is desired, or nothing is desired any more.' },
    unlinked: { description: 'The device was unlinked from the application.' },
    moved: { description: 'The device changed its product or tags, and the rule no longer watches it.' },
    deviceDeleted: { description: 'The device was deleted.' },
    disabled: { description: 'The rule was disabled.' },
    ruleChanged: { description: 'The rule was changed.' },
    ruleDeleted: { description: 'The rule was deleted.' },
  },
});

@ObjectType({ description: 'The record at which an episode opened or closed.' })
export class EpisodeRecord {
  @Field(() => ID, { description: 'Identifier of the record.' }) recordId!: string;
  @Field(() => UnixTime, { description: 'Time of the record: Unix time in seconds.' }) ts!: number;
  @Field(() => GraphQLJSONObject, { description: 'Values of the variables that the rule compares.' })
  values!: object;
}

@ObjectType({ description: 'A desired value that a device had not reported when an episode opened.' })
export class EpisodeDesired {
  @Field(() => String, { description: 'Name of the part of the state.' }) name!: string;
  @Field(() => GraphQLJSON, { description: 'Desired value.' }) desired!: PlainJson;
  @Field(() => Int, { description: 'Version of the desired value.' }) version!: number;
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which it was set.' }) desiredAt!: string;
}

@ObjectType({ implements: Node, description: 'An episode, which a rule opened for a device.' })
export class Episode {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => ID, { description: 'Organization of the application.' }) organizationId!: string;
  @Field(() => ID, { description: 'Application of the rule.' }) applicationId!: string;
  @Field(() => ID, { description: 'Rule that opened the episode.' }) alertRuleId!: string;
  @Field(() => String, { description: 'Name of the rule when it opened.' }) name!: string;
  @Field(() => AlertSeverity, { description: 'Severity of the rule when it opened.' }) severity!: AlertSeverity;
  @Field(() => ID, { description: 'Device of the episode.' }) deviceId!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of opening, which is that of the record or of the silence.' })
  openedAt!: string;
  @Field(() => EpisodeRecord, {
    nullable: true,
    description: 'Record that opened the episode; null if none did: silence, or a desired state without a report.',
  })
  openedBy?: EpisodeRecord | null;
  @RestScalar('String')
  @Field(() => EpisodeStart, {
    nullable: true,
    description: 'Reason why the device may be silent although it sends; null if none is known.',
  })
  openedReason?: string | null;
  @Field(() => [EpisodeDesired], {
    nullable: true,
    description:
      'Desired values that the device had not reported when an unsettled rule opened it, in the order of names.',
  })
  openedState?: EpisodeDesired[] | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of closing; null while the episode is open.' })
  closedAt?: string | null;
  @Field(() => EpisodeRecord, { nullable: true, description: 'Record that closed the episode; null if no record did.' })
  closedBy?: EpisodeRecord | null;
  @RestScalar('String')
  @Field(() => EpisodeEnd, { nullable: true, description: 'Reason why the episode closed.' })
  closedReason?: string | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the acknowledgement.' })
  acknowledgedAt?: string | null;
  @Field(() => ID, { nullable: true, description: 'Account that acknowledged the episode.' }) acknowledgedBy?:
    | string
    | null;
}

@ObjectType({ description: 'A mail that notifies an address of an episode.' })
export class EpisodeMail {
  @Field(() => EmailAddress, { description: 'The address.' }) address!: string;
  @Field(() => EpisodeState, { description: '`open`: of its opening; `closed`: of its closing.' }) of!: EpisodeState;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of sending; null while the mail waits.' })
  sentAt!: string | null;
}

@ObjectType({ description: 'A call of a hook about an episode.' })
export class EpisodeCall {
  @Field(() => ID, { description: 'Hook that is called.' }) applicationHookId!: string;
  @Field(() => EpisodeState, { description: '`open`: about its opening; `closed`: about its closing.' })
  of!: EpisodeState;
  @Field(() => DeliveryState, { description: 'State of the delivery.' }) state!: DeliveryState;
  @Field(() => Int, { description: 'Number of attempts so far.' }) attemptsMade!: number;
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which the delivery was stored.' }) createdAt!: string;
}

@ObjectType({ description: 'The effect of an acknowledgement.' })
export class AcknowledgedEpisodes {
  @Field(() => Int, {
    description: 'Number of newly acknowledged episodes; those acknowledged earlier do not count.',
  })
  count!: number;
  @Field(() => Boolean, { description: 'Whether more matching episodes remain; then call again.' }) hasMore!: boolean;
}
