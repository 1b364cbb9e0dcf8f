import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { ApplicationArgs } from './application.args.js';
import { whole } from './fields.js';

/** A new document of a dashboard. */
@ArgsType()
export class UpdateDashboardArgs extends ApplicationArgs {
  @whole('Version that the change was made from.', 0, 2 ** 31 - 2) version!: number;
  @Field(() => GraphQLJSON, { description: 'Document of format 1, at most 256 KiB.' }) document!: unknown;
}
