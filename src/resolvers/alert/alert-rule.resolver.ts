import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Alerts } from '#alerts/alerts.js';
import { loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { AlertRulePreview } from '#entities/alert-preview.js';
import { AlertRecipient } from '#entities/alert-recipient.js';
import { AlertRule } from '#entities/alert-rule.js';
import { AlertUndecided } from '#entities/alert-undecided.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { newId } from '#entities/id.js';
import {
  alertRuleListing,
  loadAlertRule,
  restartRule,
  roomForRules,
  tooManyRules,
  undecidedOf,
} from '#listing/alert-rules.js';
import { AlertRuleArgs } from '#listing/identifier.args.js';
import { list, listBelow } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { Costs } from '#schema/cost.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { AlertRulePage } from '#schema/pages.js';
import { AlertRulesArgs, CreateAlertRuleArgs, PreviewAlertRuleArgs, UpdateAlertRuleArgs } from './alert.args.js';
import { changeOf, checkRule, decisionOf } from './alert-change.js';
import { type PreviewSources, previewOf } from './alert-preview.js';
import { noteRecipients, recipientStatesOf } from './alert-recipients.js';
import { RuleWarnings } from './alert-warnings.js';

/** Resolves the alert rules of applications. */
@Resolver(() => AlertRule)
export class AlertRuleResolver {
  constructor(
    private readonly alerts: Pick<Alerts, 'wake' | 'wakeMail'>,
    private readonly sources: PreviewSources,
    private readonly clock: () => number,
  ) {}

  @Query(() => AlertRulePage, { description: 'The alert rules of an application.' })
  async alertRules(@Args(() => AlertRulesArgs) args: AlertRulesArgs, @Ctx() ctx: Context): Promise<AlertRulePage> {
    const { id } = await loadApplication(ctx, args, policies.alertRule.read);
    return list(ctx, alertRuleListing([sql`r.application_id = ${id}`]), args);
  }

  @Query(() => AlertRule, { description: 'An alert rule.' })
  alertRule(@Args(() => AlertRuleArgs) args: AlertRuleArgs, @Ctx() ctx: Context): Promise<AlertRule> {
    return loadAlertRule(ctx, args, policies.alertRule.read);
  }

  @Mutation(() => AlertRule, {
    description: "Creates an alert rule, at most 100 per application. The rule's clocks start now.",
  })
  async createAlertRule(
    @Args(() => CreateAlertRuleArgs) args: CreateAlertRuleArgs,
    @Ctx() ctx: Context,
  ): Promise<AlertRule> {
    const change = changeOf(args);
    const { id, organizationId } = await loadApplication(ctx, args, policies.alertRule.change);
    const rule = Object.assign(new AlertRule(), { id: newId(), organizationId, applicationId: id, kind: args.kind });
    const { name, severity, disabled, recipients } = args;
    rule.change({ ...change, name, severity, disabled, recipients });
    await checkRule(ctx, rule);
    await ctx.em.transactional(async (em) => {
      if ((await roomForRules(em, id)) <= 0) throw tooManyRules();
      em.persist(rule);
      await em.flush();
      await restartRule(em, rule);
      await noteRecipients(em, rule, this.clock());
    });
    this.alerts.wakeMail();
    return this.warned(ctx, rule);
  }

  @Mutation(() => AlertRule, {
    description:
      'Changes an alert rule. If the rule then decides differently than before, its open episodes close and its clocks restart.',
  })
  async updateAlertRule(
    @Args(() => UpdateAlertRuleArgs) args: UpdateAlertRuleArgs,
    @Ctx() ctx: Context,
  ): Promise<AlertRule> {
    const rule = await loadAlertRule(ctx, args, policies.alertRule.change);
    if (args.kind != null && args.kind !== rule.kind) {
      throw invalid([{ path: 'kind', message: 'cannot be changed: create another rule' }]);
    }
    const { name, severity, disabled, recipients } = args;
    const change = { ...changeOf(args), name, severity, disabled, recipients };
    const before = decisionOf(rule);
    const isChanged = rule.change(change);
    await checkRule(ctx, rule, before);
    await ctx.em.transactional(async (em) => {
      await em.flush();
      if (isChanged) await restartRule(em, rule);
      if (recipients != null) await noteRecipients(em, rule, this.clock());
    });
    this.alerts.wake();
    if (recipients != null) this.alerts.wakeMail();
    return this.warned(ctx, rule);
  }

  @Mutation(() => AlertRule, {
    description: 'Deletes an alert rule. Its open episodes close; all of its episodes are kept.',
  })
  async deleteAlertRule(@Args(() => AlertRuleArgs) args: AlertRuleArgs, @Ctx() ctx: Context): Promise<AlertRule> {
    const rule = await loadAlertRule(ctx, args, policies.alertRule.change);
    await ctx.em.remove(rule).flush();
    this.alerts.wake();
    return rule;
  }

  @Costs(500)
  @Query(() => AlertRulePreview, {
    description:
      'Previews the episodes that a rule would have opened over the last week, based on the stored records of the devices that it would watch.',
  })
  async previewAlertRule(
    @Args(() => PreviewAlertRuleArgs) args: PreviewAlertRuleArgs,
    @Ctx() ctx: Context,
  ): Promise<AlertRulePreview> {
    const change = changeOf(args);
    const { id, organizationId } = await loadApplication(ctx, args, policies.alertRule.read);
    const rule = Object.assign(new AlertRule(), { id: newId(), organizationId, applicationId: id, kind: args.kind });
    rule.change({ ...change, name: '' });
    await checkRule(ctx, rule);
    return previewOf(ctx, this.sources, rule, this.clock());
  }

  @FieldResolver(() => [AlertRecipient], {
    description: "States of the rule's recipients, in the order of `recipients`.",
  })
  @GraphOnly()
  recipientStates(@Root() rule: AlertRule, @Ctx() ctx: Context): Promise<AlertRecipient[]> {
    return recipientStatesOf(ctx, rule);
  }

  /** Adds the warnings to a rule that was saved. */
  private async warned(ctx: Context, rule: AlertRule): Promise<AlertRule> {
    const warnings = await new RuleWarnings(ctx, this.sources.index).of(rule);
    return warnings.length === 0 ? rule : Object.assign(rule, { warnings });
  }

  @FieldResolver(() => AlertUndecided, {
    nullable: true,
    description: 'Records that the rule has yet to decide, because its query took too long; null if there are none.',
  })
  @GraphOnly()
  undecided(@Root() { id }: AlertRule, @Ctx() ctx: Context): Promise<AlertUndecided | null> {
    return undecidedOf(ctx, id);
  }
}

/** Resolves the field `alertRules` of applications. */
@Resolver(() => Application)
export class ApplicationAlertRulesResolver {
  @FieldResolver(() => AlertRulePage, { description: 'Alert rules of the application.' })
  @GraphOnly()
  alertRules(
    @Root() { id }: Application,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<AlertRulePage> {
    const listing = () => alertRuleListing([sql`r.application_id = parent.id`]);
    return listBelow(ctx, 'application.alertRules', id, listing, args);
  }
}
