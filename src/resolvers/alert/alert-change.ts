import { isDeepStrictEqual } from 'node:util';
import { AlertKind, type AlertRule, type AlertRuleChange } from '#entities/alert-rule.js';
import { requireProducts, requireSites } from '#listing/alert-rules.js';
import type { ApplicationArgs } from '#listing/identifier.args.js';
import type { Context } from '#schema/context.js';
import type { AlertDecisionArgs } from './alert.args.js';
import { readCondition, requireDecision, requireTypes } from './alert-decision.js';

/**
 * Checks a rule whose decision is new. A rule that keeps its decision can always be renamed and switched off, also when
 * a product was deleted, or declares other types, since.
 */
export async function checkRule(ctx: Context, rule: AlertRule, before?: ReturnType<typeof decisionOf>): Promise<void> {
  if (isDeepStrictEqual(decisionOf(rule), before)) return;
  requireDecision(rule);
  await requireProducts(
    ctx,
    rule.products.filter((id) => !before?.products.includes(id)),
  );
  await requireSites(
    ctx,
    rule.sites.filter((id) => !before?.sites.includes(id)),
  );
  if (rule.kind === AlertKind.threshold) await requireTypes(ctx, rule.applicationId, rule);
}

/** Returns the fields that {@link checkRule} checks together. */
export const decisionOf = ({
  products,
  sites,
  when,
  until,
  for: held,
  closeAfter,
  silentFor,
  variable,
  unsettledFor,
  stateName,
}: AlertRule) => ({
  products,
  sites,
  when,
  until,
  held,
  closeAfter,
  silentFor,
  variable,
  unsettledFor,
  stateName,
});

/** Returns the fields that define a rule's decision, with parsed conditions. */
export function changeOf({
  when,
  until,
  ...args
}: Omit<AlertDecisionArgs, keyof ApplicationArgs>): Omit<AlertRuleChange, 'name'> {
  const { products, tags, sites, maxGap, closeAfter, silentFor, variable, unsettledFor, stateName } = args;
  return {
    products,
    tags,
    sites,
    for: args.for,
    maxGap,
    closeAfter,
    silentFor,
    variable,
    unsettledFor,
    stateName,
    ...(when !== undefined && { when: when && readCondition('when', when) }),
    ...(until !== undefined && { until: until && readCondition('until', until) }),
  };
}
