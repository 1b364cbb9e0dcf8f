import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ObjectType, registerEnumType } from 'type-graphql';
import { hourSeconds } from '#common/time.js';
import { AlertCondition } from './alert-condition.js';
import {
  choice,
  createdAt,
  flag,
  GraphOnly,
  identifier,
  now,
  RestScalar,
  reference,
  text,
  texts,
  timestamp,
  updatedAt,
} from './columns.js';
import { Node } from './node.js';
import { isSameJson, storedOrSent } from './stored-json.js';
import { AlertDisabledReason } from './text-enums.js';

export enum AlertSeverity {
  info = 'info',
  warning = 'warning',
  critical = 'critical',
}

registerEnumType(AlertSeverity, { name: 'AlertSeverity', description: 'Severity of an episode.' });

export enum AlertKind {
  threshold = 'threshold',
  silence = 'silence',
  unsettled = 'unsettled',
}

registerEnumType(AlertKind, {
  name: 'AlertKind',
  description: 'Kind of an alert rule.',
  valuesConfig: {
    threshold: { description: 'Compares the values of records.' },
    silence: { description: 'Waits for records that do not arrive.' },
    unsettled: { description: 'Waits for devices to report their desired state.' },
  },
});

/** New values of a rule. An absent field stays unchanged; `null` restores its default. */
export interface AlertRuleChange {
  name: string;
  severity?: AlertSeverity | null;
  products?: string[] | null;
  tags?: string[] | null;
  sites?: string[] | null;
  disabled?: boolean | null;
  when?: AlertCondition | null;
  until?: AlertCondition | null;
  for?: number | null;
  maxGap?: number | null;
  closeAfter?: number | null;
  silentFor?: number | null;
  variable?: string | null;
  unsettledFor?: number | null;
  stateName?: string | null;
  recipients?: string[] | null;
}

/** Default maximum gap between records in seconds. During a longer gap, a condition does not count as met. */
const usualGap = hourSeconds;

const condition = (fieldName: string, description: string) => (target: object, key: string) => {
  Property({ type: 'json', columnType: 'jsonb', fieldName, nullable: true })(target, key);
  Field(() => AlertCondition, { nullable: true, description })(target, key);
};

const seconds =
  (fieldName: string, description: string, nullable = true) =>
  (target: object, key: string) => {
    Property({ type: 'double', columnType: 'double precision', fieldName, nullable })(target, key);
    Field(() => Float, { nullable, description: `${description} Seconds.` })(target, key);
  };

@ObjectType({ implements: Node, description: 'A rule that opens an episode for a device of an application.' })
@Entity()
export class AlertRule {
  @identifier() id!: string;
  @reference('Organization of the application.') organizationId!: string;
  @reference('Application whose devices the rule watches.') applicationId!: string;
  @text('Name.') name!: string;
  @choice(() => AlertSeverity, "Severity of the rule's episodes.") severity: AlertSeverity = AlertSeverity.warning;
  @choice(() => AlertKind, 'Kind of the rule.') kind!: AlertKind;
  @texts('Products: the rule watches devices of these. Empty: all devices.') products: string[] = [];
  @texts('Tags: the rule watches devices with at least one of them. Empty: all devices.') tags: string[] = [];
  @texts('Sites: the rule watches devices that are at one of them now, or below it. Empty: all devices.')
  sites: string[] = [];
  @condition('when_condition', 'Condition that opens an episode.') when: AlertCondition | null = null;
  @condition('until_condition', 'Condition that closes an episode; by default the opposite of `when`.')
  until: AlertCondition | null = null;
  @seconds('for_seconds', 'Time for which `when` must hold, measured by the times of records.', false) for: number = 0;
  @seconds(
    'max_gap_seconds',
    'Maximum gap between records. Across a longer gap, `when` does not count as holding.',
    false,
  )
  maxGap: number = usualGap;
  @seconds('close_after_seconds', 'An episode closes by itself when no record has arrived for this time.')
  closeAfter: number | null = null;
  @seconds('silent_for_seconds', 'An episode opens when no record has arrived for this time.') silentFor:
    | number
    | null = null;
  @text('Variable whose arrival ends a silence; by default any record does.', { nullable: true })
  variable: string | null = null;
  @seconds(
    'unsettled_for_seconds',
    'An episode opens when a device has not reported a desired value for this time after it was set.',
  )
  unsettledFor: number | null = null;
  @text('The one name of the state that the rule watches; by default every name.', { nullable: true })
  stateName: string | null = null;
  @texts('E-mail addresses that get notices when an episode opens or closes.') recipients: string[] = [];
  @flag('Whether the rule is disabled.') disabled: boolean = false;
  @timestamp('Time at which the rule was disabled.', { nullable: true }) disabledAt: string | null = null;
  @Property({ type: 'string', columnType: 'text', nullable: true })
  @RestScalar('String')
  @Field(() => AlertDisabledReason, {
    nullable: true,
    description: 'Reason why the rule was disabled: `request`, or `timeout` (its query kept timing out).',
  })
  disabledReason: string | null = null;
  @text('Key that a tool chose, unique within the application.', { nullable: true })
  @GraphOnly()
  externalId?: string | null;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  @Field(() => [String], {
    nullable: true,
    description:
      'Warnings about what the rule cannot do, based on the records of its devices, in the order of its fields; only in the answer that saves it.',
  })
  warnings?: string[];

  /** Number of changes of the fields that define the rule's decisions. */
  @Property({ type: 'integer', columnType: 'int' }) version: number = 1;
  /** Number of transactions in a row in which the rule's query ran out of time. */
  @Property({ type: 'integer', columnType: 'int' }) timeouts: number = 0;

  /** Applies new values. Returns whether the rule decides differently than before, which makes its states invalid. */
  change(values: AlertRuleChange): boolean {
    const before = this.decides();
    this.name = values.name;
    if (values.severity !== undefined) this.severity = values.severity ?? AlertSeverity.warning;
    if (values.products !== undefined) this.products = values.products ?? [];
    if (values.tags !== undefined) this.tags = values.tags ?? [];
    if (values.sites !== undefined) this.sites = values.sites ?? [];
    if (values.when !== undefined) this.when = storedOrSent(this.when, values.when);
    if (values.until !== undefined) this.until = storedOrSent(this.until, values.until);
    if (values.for !== undefined) this.for = values.for ?? 0;
    if (values.maxGap !== undefined) this.maxGap = values.maxGap ?? usualGap;
    if (values.closeAfter !== undefined) this.closeAfter = values.closeAfter;
    if (values.silentFor !== undefined) this.silentFor = values.silentFor;
    if (values.variable !== undefined) this.variable = values.variable;
    if (values.unsettledFor !== undefined) this.unsettledFor = values.unsettledFor;
    if (values.stateName !== undefined) this.stateName = values.stateName;
    if (values.recipients !== undefined) this.recipients = values.recipients ?? [];
    const disabled = values.disabled ?? false;
    if (values.disabled !== undefined && disabled !== this.disabled) {
      Object.assign(this, {
        disabled,
        disabledAt: disabled ? now() : null,
        disabledReason: disabled ? 'request' : null,
        timeouts: 0,
      });
    }
    const changed = !isSameJson(this.decides(), before);
    if (changed) this.version += 1;
    return changed;
  }

  /** Returns the values that define the rule's decisions. The order and repetition in the scope are none. */
  private decides(): readonly unknown[] {
    const { products, tags, sites, when, until, maxGap, closeAfter, silentFor, variable, unsettledFor, stateName } =
      this;
    const scope = [products, tags, sites].map((list) => [...new Set(list)].sort());
    const waits = [this.for, maxGap, closeAfter, silentFor, variable, unsettledFor, stateName];
    return [scope, when, until, ...waits, this.disabled];
  }
}
