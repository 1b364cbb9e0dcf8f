import type { AlertRuleQuery, RuleLineFragment } from '../../api/documents.js';
import type { Place } from '../dashboard/facts.js';

/** A rule, as its form shows it. */
export type ShownRule = NonNullable<AlertRuleQuery['alertRule']> & RuleLineFragment;

/** The application of a rule, as its form reads it. */
export type RuleApplication = NonNullable<AlertRuleQuery['application']> & {
  /** Sites that the caller can read, each with the names of those above it. */
  readonly sites: readonly Place[];
};
