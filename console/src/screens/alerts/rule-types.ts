import type { AlertRuleQuery, RuleLineFragment } from '../../api/documents.js';
import type { Place } from '../dashboard/facts.js';
import type { Draft, Fault, Types } from './draft.js';

/** A rule, as its form shows it. */
export type ShownRule = NonNullable<AlertRuleQuery['alertRule']> & RuleLineFragment;

/** The application of a rule, as its form reads it. */
export type RuleApplication = NonNullable<AlertRuleQuery['application']> & {
  /** Sites that the caller can read, each with the names of those above it. */
  readonly sites: readonly Place[];
};

/** Properties of each group of fields of the form. */
export interface Fields {
  readonly draft: Draft;
  readonly types: Types;
  readonly faults: readonly Fault[];
  readonly change: (changes: Partial<Draft>) => void;
}
