import { ArrayMaxSize, ArrayMinSize, IsIn, Length, Matches, Max, Min, ValidateNested } from 'class-validator';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, Float, InputType } from 'type-graphql';
import { AlertOperator } from '../entities/alert-condition.js';
import { AlertKind, AlertSeverity } from '../entities/alert-rule.js';
import { EpisodeState } from '../entities/episode.js';
import type { PlainJson } from '../json.js';
import { ApplicationArgs } from './application.args.js';
import { choice, emails, flag, id, ids, labels, name, Storable, unixTime } from './fields.js';
import { SearchablePageArgs } from './list.args.js';

/** Maximum number of comparisons in one condition. */
const maxComparisons = 8;
const day = 86_400;
/** Limits of durations, in seconds. */
const maxFor = 7 * day;
const maxWait = 90 * day;
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

/** One comparison of a variable with a value. */
@InputType({ description: 'One comparison of a variable with a value.' })
export class AlertComparisonInput {
  @Field(() => String, { description: 'Name of the variable, a field of `data`.' })
  @Length(1, 200)
  @Matches(/\S/u, { message: 'must not be blank' })
  variable!: string;
  @choice(() => AlertOperator, 'How the variable is compared; texts and booleans with `eq` and `ne` alone.')
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
  @comparisons('Comparisons of which one holds.') any?: AlertComparisonInput[] | null;
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'A query as searches take it, over the record and its device.',
  })
  query?: { [key: string]: PlainJson } | null;
}

const condition = (description: string): PropertyDecorator => {
  return (target, key) => {
    Field(() => AlertConditionInput, { nullable: true, description })(target, key as string);
    ValidateNested()(target, key as string);
  };
};

/** The fields that define when a rule opens and closes episodes. */
@ArgsType()
export class AlertDecisionArgs extends ApplicationArgs {
  @ids('Products: devices of one of these; absent or empty: of all.')
  @Storable({ each: true })
  products?: string[] | null;
  @labels('Tags: devices with one of these; absent or empty: all.', 50, 64) tags?: string[] | null;
  @condition('When an episode opens, of a threshold rule.') when?: AlertConditionInput | null;
  @condition('When an episode closes; absent: when a record shows that `when` does not hold.')
  until?: AlertConditionInput | null;
  @seconds('How long `when` has to hold, by the times of records; 0 unless given.', 0, maxFor)
  for?: number | null;
  @seconds('Records further apart do not show that `when` held in between; 3600 unless given.', 1, maxFor)
  maxGap?: number | null;
  @seconds(
    'An episode closes by itself when no record has arrived for this time; never unless given.',
    minWait,
    maxWait,
  )
  closeAfter?: number | null;
  @seconds('An episode opens when no record has arrived for this time, of a silence rule.', minWait, maxWait)
  silentFor?: number | null;
  @Field(() => String, {
    nullable: true,
    description: 'The one variable whose arrival counts, of a silence rule; any record unless given.',
  })
  @Length(1, 200)
  @Matches(/\S/u, { message: 'must not be blank' })
  variable?: string | null;
}

/** Maximum number of addresses per rule. */
const maxRecipients = 20;
const recipients = () =>
  emails('E-mail addresses that get notices when an episode opens or closes; each confirms once.', maxRecipients);

/** A new alert rule. */
@ArgsType()
export class CreateAlertRuleArgs extends AlertDecisionArgs {
  @name('Name.') name!: string;
  @choice(() => AlertKind, 'Kind: it stays.') kind!: AlertKind;
  @choice(() => AlertSeverity, 'Severity of its episodes; `warning` on create, absent on update: as it was.', {
    optional: true,
  })
  severity?: AlertSeverity | null;
  @flag('Whether it is switched off, which closes its episodes; absent: false on create, as it was on update.')
  disabled?: boolean | null;
  @recipients() recipients?: string[] | null;
}

/** Identifies an alert rule. */
@ArgsType()
export class AlertRuleArgs extends ApplicationArgs {
  @id('Identifier of the rule.') alertRuleId!: string;
}

/** New values of an alert rule. Absent fields stay unchanged; `null` restores the default. */
@ArgsType()
export class UpdateAlertRuleArgs extends AlertDecisionArgs {
  @id('Identifier of the rule.') alertRuleId!: string;
  @name('Name.') name!: string;
  @choice(() => AlertKind, 'Kind of the rule, which cannot be changed.', { optional: true }) kind?: AlertKind | null;
  @choice(() => AlertSeverity, 'Severity of its episodes; absent: as it was.', { optional: true })
  severity?: AlertSeverity | null;
  @flag('Whether it is switched off, which closes its episodes; absent: as it was.') disabled?: boolean | null;
  @recipients() recipients?: string[] | null;
}

/** A rule to preview. */
@ArgsType()
export class PreviewAlertRuleArgs extends AlertDecisionArgs {
  @choice(() => AlertKind, 'Kind.') kind!: AlertKind;
}

/** Arguments of the list of an application's alert rules. */
@ArgsType()
export class AlertRulesArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
}

/** Filter and page of a list of episodes. */
@ArgsType()
export class EpisodesBelowArgs extends SearchablePageArgs {
  @choice(() => EpisodeState, 'Only those in this state.', { optional: true }) state?: EpisodeState | null;
  @flag('True: only acknowledged ones; false: only the others.') acknowledged?: boolean | null;
  @choice(() => AlertSeverity, 'Only those of this severity.', { optional: true }) severity?: AlertSeverity | null;
  @id('Only those of this rule.', { optional: true }) alertRuleId?: string | null;
  @id('Only those of this device.', { optional: true }) deviceId?: string | null;
  @unixTime('Opened from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Opened up to then: Unix seconds, included.') to?: number | null;
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
  @id('Only those of this application.', { optional: true }) applicationId?: string | null;
}

/** Selects episodes to acknowledge, by their identifiers or by a filter. At least one argument is required. */
@ArgsType()
export class AcknowledgeEpisodesArgs extends ApplicationArgs {
  @ids('Only these episodes.') ids?: string[] | null;
  @choice(() => EpisodeState, 'Only those in this state.', { optional: true }) state?: EpisodeState | null;
  @choice(() => AlertSeverity, 'Only those of this severity.', { optional: true }) severity?: AlertSeverity | null;
  @id('Only those of this rule.', { optional: true }) alertRuleId?: string | null;
  @id('Only those of this device.', { optional: true }) deviceId?: string | null;
}
