import type {
  AlertComparisonInput,
  AlertConditionInput,
  AlertKind,
  AlertOperator,
  AlertSeverity,
  ConditionFragment,
  RuleLineFragment,
} from '../../api/documents.js';
import { listOf } from '../../browser/form.js';
import { type Unit, unitOf, units } from '../../format/time.js';
import { parseObject } from '../../format/value.js';

/** A fault of a field, by its path in the arguments of the operation. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** A duration as the user types it: a number and its unit; empty for the default. */
export interface DurationInput {
  readonly amount: string;
  readonly unit: Unit;
}

/** A comparison as the user types it. */
export interface Row {
  /** Identifies the row, so that its text stays when another row is removed. */
  readonly key: number;
  readonly variable: string;
  readonly operator: AlertOperator;
  readonly value: string;
}

/** Form of a condition: comparisons joined by `all` or `any`, or a query. */
export type Joined = 'all' | 'any' | 'query';

/** A condition as the user types it. */
export interface ConditionDraft {
  readonly by: Joined;
  readonly rows: readonly Row[];
  readonly query: string;
}

/** The content of a rule's form. */
export interface Draft {
  readonly name: string;
  readonly kind: AlertKind;
  readonly severity: AlertSeverity;
  readonly products: readonly string[];
  readonly sites: readonly string[];
  readonly tags: string;
  /** E-mail addresses, separated by commas. */
  readonly recipients: string;
  readonly when: ConditionDraft;
  /** Whether the rule has its own `until`. Otherwise `until` is the opposite of `when`. */
  readonly hasUntil: boolean;
  readonly until: ConditionDraft;
  readonly for: DurationInput;
  readonly maxGap: DurationInput;
  readonly closeAfter: DurationInput;
  readonly silentFor: DurationInput;
  readonly variable: string;
  readonly unsettledFor: DurationInput;
  readonly stateName: string;
}

/** The types of variables that products declare, by name. */
export type Types = ReadonlyMap<string, string>;

let rowsMade = 0;

/** Creates a row of a condition, which is empty by default. */
export const rowOf = (variable = '', operator: AlertOperator = 'gt', value: unknown = ''): Row => ({
  key: ++rowsMade,
  variable,
  operator,
  value: String(value),
});

const exampleQuery = '{\n  "range": { "data.temperature": { "gt": 8 } }\n}';

const conditionOf = (condition: ConditionFragment | null | undefined): ConditionDraft => {
  const { all, any, query } = condition ?? {};
  const given = all ?? any;
  return {
    by: query != null ? 'query' : any != null ? 'any' : 'all',
    rows: given == null ? [rowOf()] : given.map(({ variable, operator, value }) => rowOf(variable, operator, value)),
    query: query == null ? exampleQuery : JSON.stringify(query, undefined, 2),
  };
};

const spanOf = (seconds: number | null | undefined, unit: Unit): DurationInput =>
  seconds == null ? { amount: '', unit } : { amount: `${seconds / units[unitOf(seconds)]}`, unit: unitOf(seconds) };

/** Creates the initial content of the form, for an existing rule or a new one. */
export const draftOf = (rule: RuleLineFragment | undefined): Draft => ({
  name: rule?.name ?? '',
  kind: rule?.kind ?? 'threshold',
  severity: rule?.severity ?? 'warning',
  products: rule?.products ?? [],
  sites: rule?.sites ?? [],
  tags: rule?.tags.join(', ') ?? '',
  recipients: rule?.recipients.join(', ') ?? '',
  when: conditionOf(rule?.when),
  hasUntil: rule?.until != null,
  until: conditionOf(rule?.until),
  for: spanOf(rule?.for || null, 'minutes'),
  maxGap: spanOf(rule?.maxGap, 'hours'),
  closeAfter: spanOf(rule?.closeAfter, 'hours'),
  silentFor: spanOf(rule === undefined ? 3600 : rule.silentFor, 'hours'),
  variable: rule?.variable ?? '',
  unsettledFor: spanOf(rule === undefined ? 3600 : rule.unsettledFor, 'hours'),
  stateName: rule?.stateName ?? '',
});

/**
 * The fields that define a rule's decision, in the form of the operations' arguments. An empty field is null, which
 * means the default.
 */
export interface Decision {
  readonly kind: AlertKind;
  readonly products: string[];
  readonly sites: string[];
  readonly tags: string[];
  readonly when: AlertConditionInput | null;
  readonly until: AlertConditionInput | null;
  readonly for: number | null;
  readonly maxGap: number | null;
  readonly closeAfter: number | null;
  readonly silentFor: number | null;
  readonly variable: string | null;
  readonly unsettledFor: number | null;
  readonly stateName: string | null;
}

/** Reads the form. Its faults are values that no operation accepts; the service reports all others. */
export function readDraft(draft: Draft, types: Types): { decision: Decision; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const seconds = (path: 'for' | 'maxGap' | 'closeAfter' | 'silentFor' | 'unsettledFor'): number | null => {
    const { amount, unit } = draft[path];
    if (amount.trim() === '') return null;
    const count = Number(amount);
    if (!Number.isFinite(count)) faults.push({ path, message: 'must be a number' });
    return count * units[unit];
  };
  const condition = (path: 'when' | 'until'): AlertConditionInput | null => {
    const { by, rows, query } = draft[path];
    if (by !== 'query') return { [by]: rows.map((row, index) => comparison(row, `${path}.${by}.${index}`)) };
    const parsed = parseObject(query);
    if (parsed === undefined) faults.push({ path: `${path}.query`, message: 'must be an object in JSON' });
    return { query: parsed ?? {} };
  };
  const comparison = ({ variable, operator, value }: Row, path: string): AlertComparisonInput => {
    if (variable.trim() === '') faults.push({ path: `${path}.variable`, message: 'must name a variable' });
    if (value.trim() === '') faults.push({ path: `${path}.value`, message: 'must be given' });
    return { variable: variable.trim(), operator, value: valueOf(value, types.get(variable.trim())) };
  };
  const [isThreshold, isSilence, isUnsettled] = (['threshold', 'silence', 'unsettled'] as const).map(
    (kind) => kind === draft.kind,
  );
  const decision: Decision = {
    kind: draft.kind,
    products: [...draft.products],
    sites: [...draft.sites],
    tags: listOf(draft.tags),
    when: isThreshold ? condition('when') : null,
    until: isThreshold && draft.hasUntil ? condition('until') : null,
    for: isThreshold ? seconds('for') : null,
    maxGap: isThreshold ? seconds('maxGap') : null,
    closeAfter: isThreshold ? seconds('closeAfter') : null,
    silentFor: isSilence ? seconds('silentFor') : null,
    variable: isSilence ? draft.variable.trim() || null : null,
    unsettledFor: isUnsettled ? seconds('unsettledFor') : null,
    stateName: isUnsettled ? draft.stateName.trim() || null : null,
  };
  return { decision, faults };
}

/** Reads a value in the declared type of its variable. When no product declares the variable, the type is guessed. */
const valueOf = (text: string, type: string | undefined): string | number | boolean => {
  const value = text.trim();
  if (type === 'TXT') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
};

/** Returns the variables that a decision compares or waits for; none when a query decides. */
export const variablesIn = ({ when, variable }: Decision): string[] => {
  if (variable !== null) return [variable];
  return [...new Set((when?.all ?? when?.any ?? []).map((one) => one.variable))];
};
