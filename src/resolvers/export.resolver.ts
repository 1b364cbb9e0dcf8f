import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { loadApplication } from '../auth/access.js';
import { ExportLink, ExportSubject } from '../entities/export.js';
import { invalid } from '../errors.js';
import { JsonSyntaxError, type LocatedJson, toPlain } from '../json.js';
import type { Context } from '../schema/context.js';
import { ExportArgs } from '../schema/export.args.js';

/** Files out: the graph says where one is fetched, REST streams it from there. */
@Resolver()
export class ExportResolver {
  @Query(() => ExportLink, {
    description:
      'Exports records of an application, aggregations over them, its devices or its deliveries as a file, however many there are. The graph answers the address, which is fetched with the same token.',
  })
  async applicationExport(@Args(() => ExportArgs) args: ExportArgs, @Ctx() ctx: Context): Promise<ExportLink> {
    const { organizationId, applicationId, query, aggs, ...others } = args;
    const need = args.of === ExportSubject.deliveries ? 'write' : 'read';
    const { id } = await loadApplication(ctx, organizationId, applicationId, need);
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(others)) if (value != null) parameters.set(name, String(value));
    for (const [name, value] of Object.entries({ query, aggs }))
      if (value != null) parameters.set(name, textOf(name, value));
    const text = parameters.toString();
    return {
      url: `${ctx.origin}/ddp/v1/applications/${organizationId}/${id}/export${text === '' ? '' : `?${text}`}`,
    };
  }
}

const textOf = (path: string, value: LocatedJson): string => {
  try {
    return JSON.stringify(toPlain(value));
  } catch (error) {
    // Nests too deep.
    if (error instanceof JsonSyntaxError) throw invalid([{ path, message: error.message }]);
    throw error;
  }
};
