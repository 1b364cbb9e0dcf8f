import { ArgsType } from 'type-graphql';
import { UsageBy } from '#entities/usage.js';
import { choice, day, id } from '#schema/fields.js';
import { PageArgs } from '#schema/list.args.js';

/** Period and grouping of an organization's usage. */
@ArgsType()
export class UsageArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @choice(() => UsageBy, 'Grouping of the usage; by default the organization as a whole.', { optional: true })
  by?: UsageBy | null;
  @day('First day, included.') fromDay?: string | null;
  @day('Last day, included.') toDay?: string | null;
  @id('Only usage of this product, if grouped by product.', { optional: true }) productId?: string | null;
  @id('Only usage of this application, if grouped by application.', { optional: true }) applicationId?: string | null;
}
