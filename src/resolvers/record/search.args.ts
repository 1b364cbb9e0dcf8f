import { ArgsType, Field } from 'type-graphql';
import { LocatedJSON } from '#entities/located-json.js';
import type { LocatedJson } from '#json/json.js';
import { ApplicationArgs } from '#listing/identifier.args.js';

const range = () =>
  Field(() => LocatedJSON, {
    description: 'Time range in Unix seconds, both ends included: `{"gte": 1774742400, "lte": 1774828800}`.',
  });
const search = () =>
  Field(() => LocatedJSON, {
    description:
      'At most 100 queries. Each has its products and the fields of a search engine\'s query: `{"products": [], "query": {"range": {"data.temperature": {"gt": -15}}}, "size": 20}`.',
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
