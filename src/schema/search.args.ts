import { ArgsType, Field } from 'type-graphql';
import { LocatedJSON } from '#entities/located-json.js';
import type { LocatedJson } from '#json/json.js';
import { ApplicationArgs } from './application.args.js';

const range = () =>
  Field(() => LocatedJSON, { description: 'Time range in Unix seconds, both ends included: gte and lte.' });
const search = () =>
  Field(() => LocatedJSON, {
    description: "At most 100 queries. Each has its products and the fields of a search engine's query.",
  });

/** A search of an application's records. */
@ArgsType()
export class SearchArgs extends ApplicationArgs {
  @range() ts!: LocatedJson;
  @search() queries!: LocatedJson;
}

/** A search of the records of the application that the field belongs to. */
@ArgsType()
export class SearchBelowArgs {
  @range() ts!: LocatedJson;
  @search() queries!: LocatedJson;
}
