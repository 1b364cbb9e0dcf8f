import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import type { PlainJson } from '../json.js';
import { ApplicationArgs } from './application.args.js';
import { ids, whole } from './fields.js';
import { HookArgs } from './hook.args.js';

/** The records of an application, as they come. */
@ArgsType()
export class RecordReceivedArgs extends ApplicationArgs {
  @ids('Only records of these devices, which are linked to the application; absent: of all that are.')
  deviceIds?: string[] | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Only records that a search with this query would find.',
  })
  query?: { [key: string]: PlainJson } | null;

  @whole('Records in one event, at most; 100 unless given.', 1, 500, { optional: true })
  limit?: number | null;
}

/** The deliveries of a hook, as they change. */
@ArgsType()
export class DeliveryUpdatedArgs extends HookArgs {
  @whole('Deliveries in one event, at most; 100 unless given.', 1, 500, { optional: true })
  limit?: number | null;
}
