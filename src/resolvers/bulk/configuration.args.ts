import { ArgsType } from 'type-graphql';
import { flag, id } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Identifies a lease. */
@ArgsType()
export class ConfigurationLeaseArgs extends OrganizationArgs {
  @id('Identifier of the lease: a random UUID that the tool chooses.') leaseId!: string;
}

/** Takes or renews a lease. */
@ArgsType()
export class LeaseConfigurationArgs extends ConfigurationLeaseArgs {
  @flag('Only renew the lease: a conflict if another tool has taken the configuration since.') renew?: boolean | null;
}
