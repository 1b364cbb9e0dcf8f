import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Application } from '#entities/application.js';
import { Permission } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { PutAnswer } from '#entities/put-answer.js';
import type { Context } from '#schema/context.js';
import { upsertMany } from '#upsert/upsert-many.js';
import { PutApplicationsArgs } from './application.args.js';

/** Resolves the mutation that puts many applications by their keys. */
@Resolver()
export class ApplicationsUpsertResolver {
  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes applications by the keys of a tool. One outcome per application, in order; the fault of one does not fail the others.',
  })
  putApplications(
    @Args(() => PutApplicationsArgs) { organizationId, applications, dryRun }: PutApplicationsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    authorize(ctx, organizationId, policies.application.create);
    return upsertMany(ctx, applications, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Application,
      make: () => Object.assign(new Application(), { id: newId(), organizationId, permission: Permission.write }),
      change: (application, item) => void application.change(item),
    });
  }
}
