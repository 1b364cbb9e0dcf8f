import sql from 'sql-template-tag';
import { shortName } from '#alerts/condition.js';
import { overlaps } from '#alerts/overlap.js';
import { type Fault, invalid } from '#common/errors.js';
import { type AlertComparison, type AlertCondition, AlertOperator } from '#entities/alert-condition.js';
import type { AlertKind } from '#entities/alert-rule.js';
import { VariableType } from '#entities/enums.js';
import { isStorable, unstorable } from '#entities/storable.js';

import { exactOf, isRounded, sendAsText } from '#json/decimal.js';
import { variablesFor } from '#records/scope/variable.js';

import { requireStoredQuery } from '#records/stored-query.js';
import type { Context } from '#schema/context.js';
import type { AlertComparisonInput, AlertConditionInput } from './alert.args.js';

/** The settings that define when a rule opens and closes episodes, with parsed conditions. Durations are in seconds. */
export interface AlertDecision {
  kind: AlertKind;
  products: readonly string[];
  when: AlertCondition | null;
  until: AlertCondition | null;
  for: number;
  closeAfter: number | null;
  silentFor: number | null;
  variable: string | null;
  unsettledFor: number | null;
  stateName: string | null;
}

/** Maximum number of characters of a text in a comparison. */
const maxText = 200;

/**
 * Parses a condition.
 * @throws invalid (422) with the path of the fault.
 */
export function readCondition(path: string, condition: AlertConditionInput): AlertCondition {
  const { all, any, query } = condition;
  if ([all, any, query].filter((part) => part != null).length !== 1) {
    throw invalid([{ path, message: 'must have exactly one of `all`, `any` and `query`' }]);
  }
  if (query != null) {
    requireStoredQuery(`${path}.query`, query);
    return { query };
  }
  const part = all != null ? 'all' : 'any';
  const read = (all ?? any)!.map((comparison, index) => readComparison(`${path}.${part}.${index}`, comparison));
  return { [part]: read };
}

function readComparison(path: string, { variable, operator, value }: AlertComparisonInput): AlertComparison {
  const fault = (message: string) => invalid([{ path: `${path}.value`, message }]);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw fault('must be a finite number');
    return { variable, operator, value };
  }
  if (typeof value !== 'string' && typeof value !== 'boolean') throw fault('must be a number, a text or a boolean');
  if (typeof value === 'string' && value.length > maxText) throw fault(`must be at most ${maxText} characters`);
  if (typeof value === 'string' && !isStorable(value)) throw fault(unstorable);
  // A whole number that no double holds is sent as the text of its digits.
  const isNumber = typeof exactOf(value) === 'bigint';
  if (operator !== AlertOperator.eq && operator !== AlertOperator.ne && !isNumber) {
    throw invalid([{ path: `${path}.operator`, message: 'must be eq or ne for a text or a boolean' }]);
  }
  return { variable, operator, value };
}

/**
 * Checks a decision by itself.
 * @throws invalid (422) when a field does not belong to the kind, or conditions exclude each other.
 */
export function requireDecision(decision: AlertDecision): void {
  const faults = faultsOf[decision.kind](decision);
  if (faults.length > 0) throw invalid(faults);
}

const faultsOfSilence = (decision: AlertDecision): Fault[] => [
  ...(decision.silentFor === null ? [{ path: 'silentFor', message: 'must be given for a silence rule' }] : []),
  ...onlyThreshold(decision),
  ...onlyUnsettled(decision),
];

const faultsOfUnsettled = (decision: AlertDecision): Fault[] => [
  ...(decision.unsettledFor === null ? [{ path: 'unsettledFor', message: 'must be given for an unsettled rule' }] : []),
  ...onlyThreshold(decision),
  ...onlySilence(decision),
];

const faultsOfThreshold = ({ when, until, ...decision }: AlertDecision): Fault[] => [
  ...(when === null ? [{ path: 'when', message: 'must be given for a threshold rule' }] : []),
  ...onlySilence(decision),
  ...onlyUnsettled(decision),
  ...[...placesOf('when', when), ...placesOf('until', until)].flatMap(({ path, comparison: { value } }) =>
    isRounded(value) ? [{ path: `${path}.value`, message: sendAsText }] : [],
  ),
  ...(when !== null && until !== null && overlaps(when, until)
    ? [{ path: 'until', message: 'must not hold where `when` holds: an episode would open and close at once' }]
    : []),
];

const faultsOf: Readonly<Record<AlertKind, (decision: AlertDecision) => Fault[]>> = {
  threshold: faultsOfThreshold,
  silence: faultsOfSilence,
  unsettled: faultsOfUnsettled,
};

const onlyThreshold = ({ when, until, closeAfter, for: held }: AlertDecision): Fault[] =>
  notOf('threshold', { when, until, closeAfter, for: held === 0 ? null : held });
const onlySilence = ({ silentFor, variable }: Pick<AlertDecision, 'silentFor' | 'variable'>): Fault[] =>
  notOf('silence', { silentFor, variable });
const onlyUnsettled = ({ unsettledFor, stateName }: Pick<AlertDecision, 'unsettledFor' | 'stateName'>): Fault[] =>
  notOf('unsettled', { unsettledFor, stateName });

const notOf = (kind: string, fields: Readonly<Record<string, unknown>>): Fault[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([path]) => ({ path, message: `is only for rules of the kind ${kind}` }));

interface Declared {
  name: string;
  type: VariableType;
}

/**
 * Checks the types of comparisons. Without products, the rule has those of the application's devices. The caller has
 * checked that it may read the products: the answer tells their types.
 * @throws invalid (422) when the products of the rule declare a variable, but none of them in a type that the
 * comparison accepts.
 */
export async function requireTypes(
  ctx: Context,
  applicationId: string,
  { products, when, until }: AlertDecision,
): Promise<void> {
  const compared = [...placesOf('when', when), ...placesOf('until', until)];
  if (compared.length === 0) return;
  const names = [...new Set(compared.flatMap(({ comparison: { variable } }) => [variable, shortName(variable)]))];
  const watched =
    products.length > 0
      ? sql`p.id = any(${products}::uuid[])`
      : sql`p.id in (select d.product_id from application_device l join device d on d.id = l.device_id
                      where l.application_id = ${applicationId})`;
  const rows = (await ctx.readWithin(
    sql`
    select distinct v ->> 'name' name, v ->> 'type' type
      from product p cross join jsonb_array_elements(${variablesFor(sql`${ctx.caller.organizationId}::uuid`)}) v
     where ${watched} and v ->> 'name' = any(${names}::text[])`,
    5000,
  )) as Declared[];
  const faults = compared.flatMap(({ path, comparison }) => {
    const { variable } = comparison;
    const types = rows.filter(({ name }) => name === variable || name === shortName(variable)).map(({ type }) => type);
    if (types.length === 0 || types.some((type) => fits(kindOf(type), comparison.value))) return [];
    return [
      {
        path: `${path}.value`,
        message: `must be a ${wordOf(kindOf(types[0]!))}, since the variable has the type ${types[0]}`,
      },
    ];
  });
  if (faults.length > 0) throw invalid(faults);
}

const placesOf = (path: string, condition: AlertCondition | null) =>
  (['all', 'any'] as const).flatMap((part) =>
    (condition?.[part] ?? []).map((comparison, index) => ({ path: `${path}.${part}.${index}`, comparison })),
  );

const fits = (kind: string, value: AlertComparison['value']): boolean =>
  kind === typeof value || (kind === 'number' && typeof exactOf(value) === 'bigint');

const kindOf = (type: VariableType): string =>
  type === VariableType.BOOL ? 'boolean' : type === VariableType.TXT ? 'string' : 'number';

const wordOf = (kind: string): string => (kind === 'string' ? 'text' : kind);
