import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { conflict, invalid } from '#common/errors.js';
import { ConfigurationLease } from '#entities/configuration-lease.js';
import { isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import { ConfigurationLeaseArgs, LeaseConfigurationArgs } from './configuration.args.js';

/** Time for which a lease holds, in seconds. */
const seconds = 30;

/**
 * Resolves the leases of tools that bring an organization into the state of a file. The clock is PostgreSQL's, so that
 * all processes agree about the end of a lease.
 */
@Resolver()
export class ConfigurationResolver {
  @Mutation(() => ConfigurationLease, {
    description: `Takes or renews the lease of the organization's configuration for ${seconds} s. A tool renews it at the beginning of each atomic batch. The batch then changes nothing if another tool has taken the configuration meanwhile.`,
  })
  async leaseConfiguration(
    @Args(() => LeaseConfigurationArgs) { organizationId, leaseId, renew }: LeaseConfigurationArgs,
    @Ctx() ctx: Context,
  ): Promise<ConfigurationLease> {
    requireLease(ctx, organizationId, leaseId);
    const until = sql`clock_timestamp() + ${`${seconds} s`}::interval`;
    const taken = sql`
      insert into configuration_lease as l (organization_id, lease_id, expires_at)
      values (${organizationId}, ${leaseId}, ${until})
      on conflict (organization_id) do update set lease_id = excluded.lease_id, expires_at = excluded.expires_at
       where l.lease_id = excluded.lease_id or l.expires_at < clock_timestamp()`;
    // An expired lease may be renewed, because nothing else has changed the configuration under a lease since.
    const renewed = sql`
      update configuration_lease set expires_at = ${until}
       where organization_id = ${organizationId} and lease_id = ${leaseId}`;
    return ctx.em.transactional(async (em) => {
      const [row] = await execute<{ at: string }>(
        em,
        sql`${renew === true ? renewed : taken} returning extract(epoch from expires_at)::text as at`,
      );
      if (row === undefined) throw held();
      if (renew === true) ctx.audit.skip();
      else ctx.audit.about(target(organizationId));
      return { expiresAt: new Date(Number(row.at) * 1000) };
    });
  }

  @Mutation(() => ConfigurationLease, {
    nullable: true,
    description: "Ends the lease of the organization's configuration. Null if the lease had ended or was never taken.",
  })
  async endConfigurationLease(
    @Args(() => ConfigurationLeaseArgs) { organizationId, leaseId }: ConfigurationLeaseArgs,
    @Ctx() ctx: Context,
  ): Promise<ConfigurationLease | null> {
    requireLease(ctx, organizationId, leaseId);
    return ctx.em.transactional(async (em) => {
      ctx.audit.about(target(organizationId));
      const [ended] = await execute<{ at: string }>(
        em,
        sql`delete from configuration_lease where organization_id = ${organizationId} and lease_id = ${leaseId}
            returning extract(epoch from clock_timestamp())::text as at`,
      );
      return ended === undefined ? null : { expiresAt: new Date(Number(ended.at) * 1000) };
    });
  }
}

const target = (id: string) => ({ kind: 'organization', id, name: null });

const held = () =>
  conflict(`Another tool is changing this configuration: try again when it is done, or ${seconds} s after it stopped.`);

function requireLease(ctx: Context, organizationId: string, leaseId: string): void {
  if (!isId(leaseId)) throw invalid([{ path: 'leaseId', message: 'must be a UUID in lower case' }]);
  authorize(ctx, organizationId, policies.configuration.change);
}
