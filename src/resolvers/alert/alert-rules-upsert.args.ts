import { ArrayMaxSize, Length, Matches } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { AlertKind, AlertSeverity } from '#entities/alert-rule.js';
import { CheckedByItem } from '#schema/arguments.js';
import { choice, flag, id, ids, label, labels, name, Storable } from '#schema/fields.js';
import { PutArgs } from '#upsert/upsert.args.js';
import { type AlertConditionInput, condition, decisionSeconds, recipients } from './alert.args.js';

/** An alert rule as a call of many puts it. */
@CheckedByItem()
@InputType({
  description:
    'An alert rule and the key under which a tool knows it. A value that is absent stays as it is, null restores its default. Durations are in seconds.',
})
export class AlertRuleInput {
  @label('Key that the tool chooses, unique within the application.', 200) @Storable() externalId!: string;
  @id('The rule of the application that is to have the key, if it exists already and has another or none.', {
    optional: true,
  })
  id?: string | null;
  @name('Name.') name!: string;
  @choice(() => AlertKind, 'Kind, which cannot be changed later.') kind!: AlertKind;
  @choice(() => AlertSeverity, "Severity of the rule's episodes.", { optional: true }) severity?: AlertSeverity | null;
  @flag('Whether the rule is disabled, which closes its episodes.') disabled?: boolean | null;
  @recipients() recipients?: string[] | null;
  @ids('Products: the rule watches devices of these. Empty: all devices.')
  @Storable({ each: true })
  products?: string[] | null;
  @labels('Tags: the rule watches devices with at least one of them. Empty: all devices.', 50, 64)
  tags?: string[] | null;
  @ids('Sites: the rule watches devices that are at one of them now, or below it. Empty: all devices.')
  @Storable({ each: true })
  sites?: string[] | null;
  @condition('Condition that opens an episode, for a threshold rule.') when?: AlertConditionInput | null;
  @condition('Condition that closes an episode.') until?: AlertConditionInput | null;
  @decisionSeconds.for('Time for which `when` must hold.') for?: number | null;
  @decisionSeconds.for('Maximum gap between records.', 1) maxGap?: number | null;
  @decisionSeconds.wait('An episode closes by itself when no record has arrived for this time.')
  closeAfter?: number | null;
  @decisionSeconds.wait('An episode opens when no record has arrived for this time, for a silence rule.')
  silentFor?: number | null;
  @Field(() => String, { nullable: true, description: 'Variable whose arrival ends a silence, for a silence rule.' })
  @Length(1, 200)
  @Matches(/\S/u, { message: 'must not be blank' })
  variable?: string | null;
  @decisionSeconds.wait(
    'An episode opens when a device has not reported a desired value for this time after it was set, for an unsettled rule.',
  )
  unsettledFor?: number | null;
  @label('The one name of the state that an unsettled rule watches.', 100, { optional: true })
  @Storable()
  stateName?: string | null;
}

/** Many alert rules of an application. */
@ArgsType()
export class PutAlertRulesArgs extends PutArgs {
  @id('Identifier of the application. Only a dry run may leave it out, for an application that is still to be made.', {
    optional: true,
  })
  applicationId?: string | null;
  @Field(() => [AlertRuleInput], { description: 'The alert rules, at most 100.' })
  @ArrayMaxSize(100)
  alertRules!: AlertRuleInput[];
}
