import { authorize, loadApplication } from '#auth/access.js';
import type { Audience } from '#auth/audiences.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { nilId } from '#entities/id.js';
import type { PutAnswer } from '#entities/put-answer.js';
import type { Context } from '#schema/context.js';
import type { PutArgs } from './upsert.args.js';
import { type Keyed, type KeyedItem, type KeyName, Outcomes, type PutOptions, putKeyed } from './upsert.js';

/**
 * Returns the identifier of the application to put things into. A dry run may be for an application that does not exist
 * yet; then returns one that no application has.
 */
export async function requireApplicationToPut(
  ctx: Context,
  { organizationId, applicationId, dryRun }: PutArgs & { applicationId?: string | null },
  audience: Audience<'application'>,
): Promise<string> {
  if (applicationId != null) return (await loadApplication(ctx, { organizationId, applicationId }, audience)).id;
  if (dryRun !== true) throw invalid([{ path: 'applicationId', message: 'must be given, except in a dry run' }]);
  authorize(ctx, organizationId, policies.application.create);
  return nilId;
}

const targetKind = ({ name }: { name: string }): string => name[0]!.toLowerCase() + name.slice(1);

/** Puts items in one transaction, and notes the call in the audit log. */
export async function upsertMany<Thing extends Keyed, Item extends KeyedItem<Key>, Key extends KeyName>(
  ctx: Context,
  items: readonly Item[],
  options: PutOptions<Thing, Item, Key>,
): Promise<PutAnswer> {
  const outcomes = new Outcomes(items);
  await ctx.em.transactional(async (em) => {
    await putKeyed(em, outcomes, options);
    outcomes.note(ctx, targetKind(options.type), options.isDry);
  });
  return outcomes.answer();
}
