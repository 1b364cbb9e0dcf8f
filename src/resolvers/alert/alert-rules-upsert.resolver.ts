import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Alerts } from '#alerts/alerts.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { AlertRule } from '#entities/alert-rule.js';
import { newId } from '#entities/id.js';
import { PutAnswer } from '#entities/put-answer.js';
import { restartRule, roomForRules, tooManyRules } from '#listing/alert-rules.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { requireApplicationToPut, upsertMany } from '#upsert/upsert-many.js';
import { changeOf, checkRule, decisionOf } from './alert-change.js';
import { noteRecipients } from './alert-recipients.js';
import { type AlertRuleInput, PutAlertRulesArgs } from './alert-rules-upsert.args.js';
import { RuleWarnings } from './alert-warnings.js';

/** Resolves the mutation that puts many alert rules by their keys. */
@Resolver()
export class AlertRulesUpsertResolver {
  constructor(
    private readonly alerts: Pick<Alerts, 'wake' | 'wakeMail'>,
    private readonly index: Pick<RecordIndex, 'list'>,
    private readonly clock: () => number,
  ) {}

  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes alert rules of an application by the keys of a tool. One outcome per rule, in order; the fault of one does not fail the others. Episodes close and clocks restart only for rules that decide differently than before.',
  })
  async putAlertRules(
    @Args(() => PutAlertRulesArgs) { organizationId, applicationId, alertRules, dryRun }: PutAlertRulesArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    const id = await requireApplicationToPut(ctx, { organizationId, applicationId, dryRun }, policies.alertRule.change);
    const restarted = new Set<AlertRule>();
    const addressed = new Set<AlertRule>();
    const rules = new Map<AlertRuleInput, AlertRule>();
    const answer = await upsertMany(ctx, alertRules, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: AlertRule,
      within: { applicationId: id },
      roomOf: (em) => roomForRules(em, id),
      full: tooManyRules,
      make: () => Object.assign(new AlertRule(), { id: newId(), organizationId, applicationId: id }),
      change: async (rule, item) => {
        const isNew = (rule.kind as unknown) === undefined;
        await checkItem(ctx, rule, item, isNew);
        rule.kind = item.kind;
        if (rule.change(valuesOf(item)) || isNew) restarted.add(rule);
        if (item.recipients != null) addressed.add(rule);
        rules.set(item, rule);
      },
      afterFlush: async (em) => {
        for (const rule of restarted) await restartRule(em, rule);
        for (const rule of addressed) await noteRecipients(em, rule, this.clock());
      },
    });
    if (dryRun !== true) {
      this.alerts.wake();
      this.alerts.wakeMail();
    }
    const warnings = new RuleWarnings(ctx, this.index);
    for (const result of answer.results) {
      const rule = rules.get(alertRules[result.index]!);
      if (rule !== undefined && result.error == null) result.warnings = await warnings.of(rule);
    }
    return answer;
  }
}

const valuesOf = (item: AlertRuleInput) => {
  const { name, severity, disabled, recipients } = item;
  return { ...changeOf(item), name, severity, disabled, recipients };
};

/** Checks the rule that an item would make, on a copy: a rule whose item fails stays as it is. */
async function checkItem(ctx: Context, rule: AlertRule, item: AlertRuleInput, isNew: boolean): Promise<void> {
  if (!isNew && item.kind !== rule.kind)
    throw invalid([{ path: 'kind', message: 'cannot be changed: create another rule' }]);
  const wanted = Object.assign(new AlertRule(), rule, { kind: item.kind });
  wanted.change(valuesOf(item));
  await checkRule(ctx, wanted, isNew ? undefined : decisionOf(rule));
}
