import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { notFound } from '#common/errors.js';
import { Job } from '#entities/job.js';
import type { Jobs } from '#jobs/jobs.js';
import { JobArgs } from '#listing/identifier.args.js';
import type { Context } from '#schema/context.js';

/** Resolves jobs. */
@Resolver(() => Job)
export class JobResolver {
  constructor(private readonly jobs: Jobs) {}

  @Query(() => Job, { description: 'A job of the organization.' })
  async job(@Args(() => JobArgs) { organizationId, jobId }: JobArgs, @Ctx() ctx: Context): Promise<Job> {
    authorize(ctx, organizationId, policies.job.read);
    const job = await this.jobs.find(organizationId, jobId);
    if (!job) throw notFound('job');
    return job;
  }
}
