import { ArrayMaxSize, ArrayMinSize, IsIn, Length, Matches, Max, Min, ValidateNested } from 'class-validator';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, Float, InputType } from 'type-graphql';
import { daySeconds, weekSeconds } from '#common/time.js';
import { AlertOperator } from '#entities/alert-condition.js';
import { AlertKind, AlertSeverity } from '#entities/alert-rule.js';
import { EpisodeState } from '#entities/episode.js';
import type { PlainJson } from '#json/json.js';
import { ApplicationArgs } from '#listing/identifier.args.js';
import { choice, emails, flag, id, ids, label, labels, name, Storable, unixTime } from '#schema/fields.js';
import { SearchablePageArgs } from '#schema/list.args.js';

/** Maximum number of comparisons in one condition. */
const maxComparisons = 8;

/** Limits of durations, in seconds. */
const maxFor = weekSeconds;
const maxWait = 90 * daySeconds;
const minWait = 60;

const seconds = (description: string, from: number, to: number): PropertyDecorator => {
  return (target, key) => {
    Field(() => Float, { nullable: true, description: `${description} Seconds, ${from} to ${to}.` })(
      target,
      key as string,
    );
    Min(from)(target, key as string);
    Max(to)(target, key as string);
  };
};

/** Durations of decisions with their limits. */
export const decisionSeconds = {
  for: (description: string, from = 0) => seconds(description, from, maxFor),
  wait: (description: string) => seconds(description, minWait, maxWait),
};

@InputType({ description: 'One comparison of a variable with a value.' })
export class AlertComparisonInput {
  @Field(() => String, { description: 'Name of the variable, a field of `data`.' })
  @Length(1, 200)
  @Matches(/\S/u, { message: 'must not be blank' })
  variable!: string;
  @choice(() => AlertOperator, 'Comparison operator. Texts and booleans can only be compared with `eq` and `ne`.')
  @IsIn(Object.values(AlertOperator))
  operator!: AlertOperator;
  @Field(() => GraphQLJSON, { description: 'A number, a text of at most 200 characters, or a boolean.' })
  value!: PlainJson;
}

const comparisons = (description: string): PropertyDecorator => {
  return (target, key) => {
    Field(() => [AlertComparisonInput], { nullable: true, description: `${description} At most ${maxComparisons}.` })(
      target,
      key as string,
    );
    ArrayMinSize(1)(target, key as string);
    ArrayMaxSize(maxComparisons)(target, key as string);
    ValidateNested({ each: true })(target, key as string);
  };
};

/** A condition on records: exactly one of its three fields is set. */
@InputType({ description: 'A condition on records: exactly one of `all`, `any` and `query`.' })
export class AlertConditionInput {
  @comparisons('Comparisons that all hold.') all?: AlertComparisonInput[] | null;
  @comparisons('Comparisons of which at least one holds.') any?: AlertComparisonInput[] | null;
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'A search query over the record and its device.',
  })
  query?: { [key: string]: PlainJson } | null;
}

/** An optional condition. */
export const condition = (description: string): PropertyDecorator => {
  return (target, key) => {
    Field(() => AlertConditionInput, { nullable: true, description })(target, key as string);
    ValidateNested()(target, key as string);
  };
};

/** The fields that define when a rule opens and closes episodes. */
@ArgsType()
export class AlertDecisionArgs extends ApplicationArgs {
  @ids('Products: the rule watches devices of these. Absent or empty: all devices.')
  @Storable({ each: true })
  products?: string[] | null;
  @labels('Tags: the rule watches devices with at least one of them. Absent or empty: all devices.', 50, 64)
  tags?: string[] | null;
  @ids('Sites: the rule watches devices that are at one of them now, or below it. Absent or empty: all devices.')
  @Storable({ each: true })
  sites?: string[] | null;
  @condition('Condition that opens an episode, for a threshold rule.') when?: AlertConditionInput | null;
  @condition(
    'Condition that closes an episode. Absent: a record by which `when` does not hold on create, unchanged on update.',
  )
  until?: AlertConditionInput | null;
  @seconds(
    'Time for which `when` must hold, measured by the times of records. Absent: 0 on create, unchanged on update.',
    0,
    maxFor,
  )
  for?: number | null;
  @seconds(
    'Maximum gap between records; across a longer one, `when` does not count as holding. Absent: 3600 on create, unchanged on update.',
    1,
    maxFor,
  )
  maxGap?: number | null;
  @seconds(
    'An episode closes by itself when no record has arrived for this time. Absent: never on create, unchanged on update.',
    minWait,
    maxWait,
  )
  closeAfter?: number | null;
  @seconds('An episode opens when no record has arrived for this time, for a silence rule.', minWait, maxWait)
  silentFor?: number | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Variable whose arrival ends a silence, for a silence rule. Absent: any on create, unchanged on update.',
  })
  @Length(1, 200)
  @Matches(/\S/u, { message: 'must not be blank' })
  variable?: string | null;
  @seconds(
    'An episode opens when a device has not reported a desired value for this time after it was set, for an unsettled rule.',
    minWait,
    maxWait,
  )
  unsettledFor?: number | null;
  @label(
    'The one name of the state that an unsettled rule watches. Absent: every name on create, unchanged on update.',
    100,
    { optional: true },
  )
  @Storable()
  stateName?: string | null;
}

/** Maximum number of addresses per rule. */
const maxRecipients = 20;
/** The addresses of a rule. */
export const recipients = () =>
  emails(
    'E-mail addresses that get notices when an episode opens or closes. Each address must be confirmed once.',
    maxRecipients,
  );

/** A new alert rule. */
@ArgsType()
export class CreateAlertRuleArgs extends AlertDecisionArgs {
  @name('Name.') name!: string;
  @choice(() => AlertKind, 'Kind, which cannot be changed later.') kind!: AlertKind;
  @choice(() => AlertSeverity, "Severity of the rule's episodes. Absent: `warning` on create, unchanged on update.", {
    optional: true,
  })
  severity?: AlertSeverity | null;
  @flag('Whether the rule is disabled, which closes its episodes. Absent: false on create, unchanged on update.')
  disabled?: boolean | null;
  @recipients() recipients?: string[] | null;
}

/** New values of an alert rule. Absent fields stay unchanged; `null` restores the default. */
@ArgsType()
export class UpdateAlertRuleArgs extends AlertDecisionArgs {
  @id('Identifier of the rule.') alertRuleId!: string;
  @name('Name.') name!: string;
  @choice(() => AlertKind, 'Kind of the rule, which cannot be changed.', { optional: true }) kind?: AlertKind | null;
  @choice(() => AlertSeverity, "Severity of the rule's episodes. Absent: unchanged.", { optional: true })
  severity?: AlertSeverity | null;
  @flag('Whether the rule is disabled, which closes its episodes. Absent: unchanged.') disabled?: boolean | null;
  @recipients() recipients?: string[] | null;
}

/** A rule to preview. */
@ArgsType()
export class PreviewAlertRuleArgs extends AlertDecisionArgs {
  @choice(() => AlertKind, 'Kind of the rule.') kind!: AlertKind;
}

@ArgsType()
export class AlertRulesArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
}

/** Filter and page of a list of episodes. */
@ArgsType()
export class EpisodesBelowArgs extends SearchablePageArgs {
  @choice(() => EpisodeState, 'Only episodes in this state.', { optional: true }) state?: EpisodeState | null;
  @flag('True: only acknowledged episodes; false: only others.') acknowledged?: boolean | null;
  @choice(() => AlertSeverity, 'Only episodes of this severity.', { optional: true }) severity?: AlertSeverity | null;
  @id('Only episodes of this rule.', { optional: true }) alertRuleId?: string | null;
  @id('Only episodes of this device.', { optional: true }) deviceId?: string | null;
  @unixTime('Only episodes opened at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only episodes opened at this time or earlier: Unix seconds.') to?: number | null;
}

/** Filter and page of an application's episodes. */
@ArgsType()
export class EpisodesArgs extends EpisodesBelowArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
}

/** Filter and page of an organization's episodes. */
@ArgsType()
export class OrganizationEpisodesArgs extends EpisodesBelowArgs {
  @id('Only episodes of this application.', { optional: true }) applicationId?: string | null;
}

/** Selects episodes to acknowledge, by their identifiers or by a filter. At least one argument is required. */
@ArgsType()
export class AcknowledgeEpisodesArgs extends ApplicationArgs {
  @ids('Only these episodes.') ids?: string[] | null;
  @choice(() => EpisodeState, 'Only episodes in this state.', { optional: true }) state?: EpisodeState | null;
  @choice(() => AlertSeverity, 'Only episodes of this severity.', { optional: true }) severity?: AlertSeverity | null;
  @id('Only episodes of this rule.', { optional: true }) alertRuleId?: string | null;
  @id('Only episodes of this device.', { optional: true }) deviceId?: string | null;
}
