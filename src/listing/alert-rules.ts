import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { loadApplication } from '#auth/access.js';
import type { Audience } from '#auth/audiences.js';
import { execute } from '#auth/execute.js';
import { can, policies } from '#auth/policies.js';
import { type ApiError, conflict, notFound } from '#common/errors.js';
import { AlertKind, AlertRule } from '#entities/alert-rule.js';
import type { AlertUndecided } from '#entities/alert-undecided.js';
import { isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import type { AlertRuleArgs } from './identifier.args.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';
import { loaderOf } from './loader.js';

/** Selects alert rules, as `r`. `also` adds columns, after a comma. */
export const alertRuleRows = (also: Sql = empty): Sql => sql`
  select r.id, r.organization_id as "organizationId", r.application_id as "applicationId", r.name, r.severity, r.kind,
         r.products, r.tags, r.sites, r.when_condition as "when", r.until_condition as "until", r.for_seconds as "for",
         r.max_gap_seconds as "maxGap", r.close_after_seconds as "closeAfter", r.silent_for_seconds as "silentFor",
         r.variable, r.unsettled_for_seconds as "unsettledFor", r.state_name as "stateName", r.recipients, r.disabled, r.disabled_at as "disabledAt", r.disabled_reason as "disabledReason", r.version, r.timeouts,
         r.external_id as "externalId",
         r.created_at as "createdAt", r.updated_at as "updatedAt"${also}
    from alert_rule r`;

/** Returns the rank of a severity; the most severe is last. */
export const severityOrder = (severity: Sql): Sql =>
  sql`array_position('{info,warning,critical}'::text[], ${severity})`;

export const alertRuleListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => alertRuleRows(also),
  from: sql`from alert_rule r`,
  where,
  matched: [sql`r.name`],
  sortable: {
    id: sql`r.id`,
    name: ignoringCase(sql`r.name`),
    severity: severityOrder(sql`r.severity`),
    kind: sql`r.kind`,
    createdAt: sql`r.created_at`,
    updatedAt: sql`r.updated_at`,
  },
  order: sql`r.id`,
  tie: sql`r.id`,
});

/** Loads an alert rule of an application that the caller may read or change. */
export async function loadAlertRule(
  ctx: Context,
  { organizationId, applicationId, alertRuleId }: AlertRuleArgs,
  audience: Audience<'application'>,
): Promise<AlertRule> {
  const application = await loadApplication(ctx, { organizationId, applicationId }, audience);
  if (!isId(alertRuleId)) throw notFound('alert rule');
  const [row] = await ctx.read<AlertRule>(
    sql`${alertRuleRows()} where r.application_id = ${application.id} and r.id = ${alertRuleId}`,
  );
  if (row === undefined) throw notFound('alert rule');
  return audience.need === 'read' ? row : ctx.em.merge(AlertRule, row);
}

/**
 * Checks the products of a rule.
 * @throws notFound (404) when one of them is neither the organization's own nor public.
 */
export async function requireProducts(ctx: Context, products: readonly string[]): Promise<void> {
  const ids = [...new Set(products)];
  if (!ids.every(isId)) throw notFound('product');
  if (ids.length === 0) return;
  const found = await ctx.read(
    sql`select p.id from product p where p.id in (${join(ids)}) and ${can(ctx.caller, policies.product.read)}`,
  );
  if (found.length < ids.length) throw notFound('product');
}

/**
 * Checks the sites of a rule.
 * @throws notFound (404) when the caller cannot read one of them.
 */
export async function requireSites(ctx: Context, sites: readonly string[]): Promise<void> {
  const ids = [...new Set(sites)];
  if (!ids.every(isId)) throw notFound('site');
  if (ids.length === 0) return;
  const found = await ctx.read(
    sql`select s.id from site s where s.id in (${join(ids)}) and s.organization_id = ${ctx.caller.organizationId} and ${can(ctx.caller, policies.site.read)}`,
  );
  if (found.length < ids.length) throw notFound('site');
}

/** Maximum number of alert rules per application. */
const maxRules = 100;

/**
 * Locks an application against concurrent new links and rules, so that a new rule and a new link see each other.
 * Returns how many more rules it may have.
 */
export async function roomForRules(em: EntityManager, applicationId: string): Promise<number> {
  await execute(em, sql`select from application where id = ${applicationId} for update`);
  const [{ count } = { count: 0 }] = await execute<{ count: number }>(
    em,
    sql`select count(*)::integer as count from alert_rule where application_id = ${applicationId}`,
  );
  return maxRules - count;
}

/** 409: the application has the maximum number of rules. */
export const tooManyRules = (): ApiError =>
  conflict(`An application has at most ${maxRules} alert rules. Delete one first.`);

/**
 * Deletes the states of a rule, which closes its episodes, and restarts the clocks of a rule that has some. It waits for
 * transactions that change devices or their desired state, so that no device comes under the rule unnoticed.
 */
export async function restartRule(em: EntityManager, { id, kind, disabled }: AlertRule): Promise<void> {
  await execute(em, sql`delete from alert_state where rule_id = ${id}`);
  if (kind === AlertKind.threshold || disabled) return;
  await execute(
    em,
    sql`select from application where id = (select application_id from alert_rule where id = ${id}) for update`,
  );
  await execute(
    em,
    sql`select from device d join application_device l on l.device_id = d.id join alert_rule r on r.application_id = l.application_id
         where r.id = ${id} and (r.kind = 'unsettled' or cardinality(r.products) > 0 or cardinality(r.tags) > 0 or cardinality(r.sites) > 0) order by d.id for share of d`,
  );
  await execute(
    em,
    sql`
    insert into alert_state (rule_id, application_id, device_id, started_at, since, due_at)
    select r.id, l.application_id, l.device_id, b.begun_at, b.since, b.due_at
      from alert_rule r join application_device l on l.application_id = r.application_id join device d on d.id = l.device_id
     cross join lateral alert_begin(r, d.id) b
     where r.id = ${id} and alert_applies(r.products, r.tags, r.sites, d.product_id, d.tags, d.id)
     order by l.device_id
        on conflict do nothing`,
  );
}

/** Returns the records that a rule has yet to decide; null if there are none. All rules of a call share one read. */
export const undecidedOf = (ctx: Context, ruleId: string): Promise<AlertUndecided | null> => {
  const make = () =>
    new DataLoader<string, AlertUndecided | null>(async (ids) => {
      const rows = await ctx.read<AlertUndecided & { ruleId: string }>(sql`
        select w.id "ruleId", min(u.noted_at) since, count(distinct u.device_id)::integer "deviceCount",
               (array_agg(distinct u.device_id))[:100] "deviceIds"
          from unnest(${ids}::uuid[]) w (id) cross join lateral (
            select noted_at, device_id from alert_undecided where rule_id = w.id order by number limit 10000) u
         group by 1`);
      const found = new Map(rows.map(({ ruleId: id, ...undecided }) => [id, undecided]));
      return ids.map((id) => found.get(id) ?? null);
    });
  return loaderOf(ctx, 'alertRule.undecided', make).load(ruleId);
};
