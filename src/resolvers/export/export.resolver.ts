import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { loadExported, requireExport } from '#auth/export-access.js';
import { invalid } from '#common/errors.js';
import { ExportLink } from '#entities/export.js';
import { JsonSyntaxError, type LocatedJson, toPlain } from '#json/json.js';
import type { Context } from '#schema/context.js';
import { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';

/** Resolves exports. The graph returns the address of a file, and REST streams the file. */
@Resolver()
export class ExportResolver {
  @Query(() => ExportLink, {
    description:
      'Exports records of an application, aggregations over them, its devices, deliveries or episodes as a file, without a limit on their number. GraphQL returns the address of the file, to be fetched with the same token.',
  })
  async applicationExport(@Args(() => ExportArgs) args: ExportArgs, @Ctx() ctx: Context): Promise<ExportLink> {
    const { organizationId, applicationId: _, query, aggs, ...others } = args;
    const { id } = await loadExported(ctx, args);
    const parameters = parametersOf(others);
    for (const [name, value] of Object.entries({ query, aggs }))
      if (value != null) parameters.set(name, textOf(name, value));
    return { url: addressOf(ctx, `applications/${organizationId}/${id}/export`, parameters) };
  }

  @Query(() => ExportLink, {
    description:
      'Exports the devices of an organization that the caller can read, the deliveries of applications that the caller may change, the episodes of applications that the caller can read, or, for owners, the audit log, as a file, without a limit on their number. GraphQL returns the address of the file, to be fetched with the same token.',
  })
  organizationExport(
    @Args(() => OrganizationExportArgs) args: OrganizationExportArgs,
    @Ctx() ctx: Context,
  ): ExportLink {
    const { organizationId, ...others } = args;
    requireExport(ctx, args);
    return { url: addressOf(ctx, `organizations/${organizationId}/export`, parametersOf(others)) };
  }
}

const parametersOf = (values: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])),
  );

const addressOf = ({ origin }: Context, path: string, parameters: URLSearchParams): string =>
  `${origin}/ddp/v1/${path}${parameters.size === 0 ? '' : `?${parameters}`}`;

const textOf = (path: string, value: LocatedJson): string => {
  try {
    return JSON.stringify(toPlain(value));
  } catch (error) {
    // The query is nested too deeply.
    if (error instanceof JsonSyntaxError) throw invalid([{ path, message: error.message }]);
    throw error;
  }
};
