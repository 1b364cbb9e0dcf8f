import { GraphQLJSONObject } from 'graphql-scalars';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { loadApplication } from '../auth/access.js';
import { SearchAnswer } from '../entities/search-answer.js';
import type { FieldType, Search } from '../records/postgres/search/search.js';
import { ApplicationArgs } from '../schema/application.args.js';
import type { Context } from '../schema/context.js';
import { FieldCapsArgs, MultiSearchArgs } from '../schema/elasticsearch.args.js';

/** What clients of Elasticsearch ask an index before they search it; Grafana's data source above all. */
@Resolver()
export class ElasticsearchResolver {
  constructor(private readonly records: Search) {}

  @Query(() => GraphQLJSONObject, { description: 'What clients of Elasticsearch take for its version.' })
  async elasticsearch(@Args(() => ApplicationArgs) args: ApplicationArgs, @Ctx() ctx: Context): Promise<object> {
    const { id, name } = await loadApplication(ctx, args.organizationId, args.applicationId, 'read');
    return {
      name,
      cluster_name: id,
      cluster_uuid: id,
      version: {
        number: '8.0.0',
        build_flavor: 'default',
        minimum_wire_compatibility_version: '7.17.0',
        minimum_index_compatibility_version: '7.0.0',
      },
      tagline: 'You Know, for Search',
    };
  }

  @Query(() => GraphQLJSONObject, { description: 'That an application can be searched.' })
  async elasticsearchHealth(@Args(() => ApplicationArgs) args: ApplicationArgs, @Ctx() ctx: Context): Promise<object> {
    const { id } = await loadApplication(ctx, args.organizationId, args.applicationId, 'read');
    return {
      cluster_name: id,
      status: 'green',
      timed_out: false,
      number_of_nodes: 1,
      number_of_data_nodes: 1,
      active_shards: 1,
    };
  }

  @Query(() => GraphQLJSONObject, { description: 'The fields of an application as the mapping of an index.' })
  async elasticsearchMapping(@Args(() => ApplicationArgs) args: ApplicationArgs, @Ctx() ctx: Context): Promise<object> {
    const properties: Properties = {};
    for (const { path, type } of await this.fieldsOf(args, ctx)) put(properties, path.split('.'), type);
    return { records: { mappings: { properties } } };
  }

  @Query(() => GraphQLJSONObject, { description: 'The fields of an application with what each can do.' })
  async elasticsearchFields(@Args(() => FieldCapsArgs) args: FieldCapsArgs, @Ctx() ctx: Context): Promise<object> {
    const fields = await this.fieldsOf(args, ctx);
    const capable = fields.map(({ path, type }) => [
      path,
      { [type]: { type, metadata_field: false, searchable: true, aggregatable: true } },
    ]);
    return { indices: ['records'], fields: Object.fromEntries(capable) as object };
  }

  @Query(() => SearchAnswer, {
    description: 'Searches as clients of Elasticsearch send them; moments are milliseconds.',
  })
  async elasticsearchSearch(
    @Args(() => MultiSearchArgs) { organizationId, applicationId, searches }: MultiSearchArgs,
    @Ctx() ctx: Context,
  ): Promise<SearchAnswer> {
    const ask = this.records.prepareMulti(searches);
    await loadApplication(ctx, organizationId, applicationId, 'read');
    return ask({ organizationId, applicationId, signal: ctx.signal });
  }

  /** The fields but for those that only engines have. */
  private async fieldsOf({ organizationId, applicationId }: ApplicationArgs, ctx: Context): Promise<FieldType[]> {
    await loadApplication(ctx, organizationId, applicationId, 'read');
    const fields = await this.records.fields({ organizationId, applicationId, signal: ctx.signal });
    return fields.filter(({ path }) => !path.startsWith('_'));
  }
}

interface Properties {
  [name: string]: { type?: string; properties?: Properties };
}

const put = (properties: Properties, [name = '', ...rest]: readonly string[], type: string): void => {
  if (!Object.hasOwn(properties, name)) properties[name] = {};
  const property = properties[name]!;
  if (rest.length === 0) property.type = type;
  else {
    property.properties ??= {};
    put(property.properties, rest, type);
  }
};
