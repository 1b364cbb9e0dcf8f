import { Badge } from '../../components/badge.js';
import type { AlertOperator, AlertSeverity, ConditionFragment, EpisodeEnd, RuleLineFragment } from '../../documents.js';
import { shown } from '../../value.js';

/** The severities, the gravest first. */
export const severities: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

const tones = { critical: 'bad', warning: 'warn', info: 'quiet' } as const;

/** How grave an episode is: a sign, a word and a colour. */
export const Severity = ({ of }: { of: AlertSeverity }) => <Badge tone={tones[of]}>{of}</Badge>;

/** Why an episode closed. */
export const reasons: Readonly<Record<EpisodeEnd, string>> = {
  cleared: 'a record cleared it',
  recordsStopped: 'records stopped',
  arrived: 'a record arrived',
  unlinked: 'the device was unlinked',
  moved: 'the device is no longer under the rule',
  deviceDeleted: 'the device was deleted',
  disabled: 'the rule was switched off',
  ruleChanged: 'the rule was changed',
  ruleDeleted: 'the rule was deleted',
};

/** How a variable is compared, as a sentence has it. */
export const operators: Readonly<Record<AlertOperator, string>> = {
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  eq: 'equal to',
  ne: 'other than',
};

/** Units of durations, the longest first, in seconds. */
export const units = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

export type Unit = keyof typeof units;

/** The longest unit in which a duration is a whole number. */
export const unitOf = (seconds: number): Unit =>
  (Object.keys(units) as Unit[]).find((unit) => seconds % units[unit] === 0) ?? 'seconds';

/** A duration in the longest unit that makes it whole: "90 minutes". */
export const duration = (seconds: number): string => {
  const unit = unitOf(seconds);
  const count = seconds / units[unit];
  return `${count.toLocaleString()} ${count === 1 ? unit.slice(0, -1) : unit}`;
};

/** A condition as a sentence has it: "temperature above 8 and door equal to true". */
export const conditionText = (condition: ConditionFragment): string => {
  const { all, any, query } = condition;
  if (query != null) return `the query ${JSON.stringify(query)}`;
  return (all ?? any ?? [])
    .map(({ variable, operator, value }) => `${variable} ${operators[operator]} ${shown(value)}`)
    .join(all == null ? ' or ' : ' and ');
};

/** What a rule watches, in words. */
export const watches = (rule: RuleLineFragment): string => {
  if (rule.kind === 'silence')
    return `${rule.variable ?? 'any record'} did not arrive for ${duration(rule.silentFor ?? 0)}`;
  const held = rule.for > 0 ? `, for ${duration(rule.for)}` : '';
  const until = rule.until === null ? '' : `, until ${conditionText(rule.until)}`;
  return `${rule.when === null ? '' : conditionText(rule.when)}${held}${until}`;
};

const disabledReasons: Readonly<Record<string, string>> = {
  request: 'switched off by hand',
  timeout: 'switched off: its query kept running out of time',
};

/** Whether a rule watches, and why it does not. */
export const RuleState = ({ of: { disabled, disabledReason } }: { of: RuleLineFragment }) =>
  disabled ? (
    <Badge tone={disabledReason === 'request' ? 'quiet' : 'bad'}>
      {disabledReasons[disabledReason ?? ''] ?? 'switched off'}
    </Badge>
  ) : (
    <Badge tone="good">on</Badge>
  );
