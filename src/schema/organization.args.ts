import { ArgsType } from 'type-graphql';
import { id } from './fields.js';
import { PageArgs, SearchablePageArgs } from './list.args.js';

/** Identifies an organization. */
@ArgsType()
export class OrganizationArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

@ArgsType()
export class OrganizationListArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** A list of what an organization has. */
@ArgsType()
export class OrganizationPageArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
}
