import { ArgsType } from 'type-graphql';
import { UsageBy } from '../entities/usage.js';
import { choice, day, id } from './fields.js';
import { PageArgs } from './list.args.js';

/** Period and grouping of an organization's usage. */
@ArgsType()
export class UsageArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @choice(() => UsageBy, 'What it is told by; the organization unless given.', { optional: true }) by?: UsageBy | null;
  @day('From that day on, included.') fromDay?: string | null;
  @day('Up to that day, included.') toDay?: string | null;
  @id('Only of this product, where it is told by product.', { optional: true }) productId?: string | null;
  @id('Only of this application, where it is told by application.', { optional: true }) applicationId?: string | null;
}
