import { ArgsType, Field } from 'type-graphql';
import { LocatedJSON } from '../entities/located-json.js';
import type { LocatedJson } from '../json.js';
import { ApplicationArgs } from './application.args.js';

/** Which fields a client asks for. All are told, whatever it names. */
@ArgsType()
export class FieldCapsArgs extends ApplicationArgs {
  @Field(() => String, { nullable: true, description: 'Names of fields; all are told.' }) fields?: string | null;
}

/** Searches as clients of Elasticsearch send them. */
@ArgsType()
export class MultiSearchArgs extends ApplicationArgs {
  @Field(() => LocatedJSON, { description: 'Pairs of a header and a query, one a line.' }) searches!: LocatedJson;
  @Field(() => String, { nullable: true, description: "Taken from engines' clients, without effect." })
  max_concurrent_shard_requests?: string | null;
}
