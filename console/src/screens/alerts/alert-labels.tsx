import type {
  AlertKind,
  AlertOperator,
  AlertRecipientState,
  AlertSeverity,
  ConditionFragment,
  EpisodeEnd,
  RuleLineFragment,
} from '../../api/documents.js';
import { Badge, severityTones } from '../../components/badge.js';
import { duration } from '../../format/time.js';
import { shown } from '../../format/value.js';

/** Kinds of rules, in words. */
export const kinds: Readonly<Record<AlertKind, string>> = {
  threshold: 'A value is wrong',
  silence: 'A device falls silent',
  unsettled: 'A device does not report what is desired',
};

/** Badge of a severity: a sign, a word and a colour. */
export const Severity = ({ of }: { of: AlertSeverity }) => <Badge tone={severityTones[of]}>{of}</Badge>;

/** Reasons for which an episode closed, in words. */
export const reasons: Readonly<Record<EpisodeEnd, string>> = {
  cleared: 'a record cleared it',
  recordsStopped: 'records stopped',
  arrived: 'a record arrived',
  settled: 'the device reported what is desired',
  unlinked: 'the device was unlinked',
  moved: 'the device is no longer under the rule',
  deviceDeleted: 'the device was deleted',
  disabled: 'the rule was switched off',
  ruleChanged: 'the rule was changed',
  ruleDeleted: 'the rule was deleted',
};

/** Comparisons of a variable, as parts of a sentence. */
export const operators: Readonly<Record<AlertOperator, string>> = {
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  eq: 'equal to',
  ne: 'other than',
};

/** Writes a condition as a part of a sentence: "temperature above 8 and door equal to true". */
const conditionText = ({ all, any, query }: ConditionFragment): string => {
  if (query != null) return 'a query finds the record';
  return (all ?? any ?? [])
    .map(({ variable, operator, value }) => `${variable} ${operators[operator]} ${shown(value)}`)
    .join(all == null ? ' or ' : ' and ');
};

/** Writes the condition of a rule in words. */
export const watches = (rule: RuleLineFragment): string => {
  if (rule.kind === 'silence')
    return `${rule.variable ?? 'any record'} did not arrive for ${duration(rule.silentFor ?? 0)}`;
  if (rule.kind === 'unsettled')
    return `${rule.stateName ?? 'what is desired'} was not reported for ${duration(rule.unsettledFor ?? 0)}`;
  const held = rule.for > 0 ? `, for ${duration(rule.for)}` : '';
  const until = rule.until === null ? '' : `, until ${conditionText(rule.until)}`;
  return `${rule.when === null ? '' : conditionText(rule.when)}${held}${until}`;
};

/** States of an e-mail address, in words. */
export const recipientStates: Readonly<Record<AlertRecipientState, string>> = {
  pending: 'not confirmed yet',
  confirmed: 'gets notices',
  stopped: 'gets no notices any more',
};

/** Reasons in words why an address gets no notices. Any other reason is the answer of a mail server. */
export const recipientReasons: Readonly<Record<string, string>> = { recipient: 'stopped by the link in a mail' };

const disabledReasons: Readonly<Record<string, string>> = {
  request: 'switched off by hand',
  timeout: 'switched off: its query kept running out of time',
};

/** Badge of a rule: on, or the reason why it is switched off. */
export const RuleState = ({ of: { disabled, disabledReason } }: { of: RuleLineFragment }) =>
  disabled ? (
    <Badge tone={disabledReason === 'request' ? 'quiet' : 'bad'}>
      {disabledReasons[disabledReason ?? ''] ?? 'switched off'}
    </Badge>
  ) : (
    <Badge tone="good">on</Badge>
  );
