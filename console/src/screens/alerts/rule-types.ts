import type { AlertRuleQuery, RuleLineFragment } from '../../api/documents.js';

/** A rule, as its form shows it. */
export type ShownRule = NonNullable<AlertRuleQuery['alertRule']> & RuleLineFragment;

/** The application of a rule, as its form reads it. */
export type RuleApplication = NonNullable<AlertRuleQuery['application']>;
