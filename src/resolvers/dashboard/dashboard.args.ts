import { GraphQLDateTimeISO, GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { ApplicationArgs } from '#listing/identifier.args.js';
import { id, name, whole } from '#schema/fields.js';

/** A new document of a dashboard. */
@ArgsType()
export class UpdateDashboardArgs extends ApplicationArgs {
  @whole('Version that the change was made from.', 0, 2 ** 31 - 2) version!: number;
  @Field(() => GraphQLJSON, { description: 'Document of format 1, at most 256 KiB.' }) document!: unknown;
}

/** A new link to a dashboard. */
@ArgsType()
export class CreateDashboardLinkArgs extends ApplicationArgs {
  @name('Purpose of the link, such as the place of the screen.') name!: string;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time in the future at which the link expires; by default never.',
  })
  expiresAt?: Date | null;
}

/** Identifies a link to a dashboard. */
@ArgsType()
export class DashboardLinkArgs extends ApplicationArgs {
  @id('Identifier of the link.') linkId!: string;
}
