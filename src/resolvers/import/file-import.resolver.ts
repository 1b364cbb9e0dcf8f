import type { Sql } from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { newValues } from '#entities/audit-event.js';
import { FileBody, FileImport, ImportFormat, ImportKind } from '#entities/file-import.js';
import { Job } from '#entities/job.js';
import type { Imports } from '#imports/imports.js';
import type { Jobs } from '#jobs/jobs.js';
import type { Context } from '#schema/context.js';
import { FileImportArgs, ImportDevicesArgs, ImportRecordsArgs } from './file-import.args.js';

/** Resolves imports of files: devices, and past records. */
@Resolver(() => FileImport)
export class FileImportResolver {
  constructor(
    private readonly imports: Imports,
    private readonly jobs: Pick<Jobs, 'find'>,
  ) {}

  @Mutation(() => FileImport, {
    description:
      'Imports a file of devices in a job: registers new ones, and changes the others, which are found by serial number. By default a dry run comes first, which only reports what the import would do, with every fault.',
  })
  importDevices(@Args(() => ImportDevicesArgs) args: ImportDevicesArgs, @Ctx() ctx: Context): Promise<FileImport> {
    const { organizationId, file, dryRun, clearEmpty } = args;
    authorize(ctx, organizationId, policies.fileImport.change);
    return this.imports.begin(ctx.caller, eventOf(ctx, ImportKind.devices, { dryRun: dryRun !== false }), {
      organizationId,
      kind: ImportKind.devices,
      file: bodyOf(file, ImportFormat.csv),
      options: { clearEmpty: clearEmpty === true, callHooks: false },
      dryRun: dryRun !== false,
    });
  }

  @Mutation(() => FileImport, {
    description:
      'Imports a file of past records in a job, and stores those that were not stored before. By default a dry run comes first, which only reports the faults of each line. Hooks are called only if `callHooks` is set.',
  })
  importRecords(@Args(() => ImportRecordsArgs) args: ImportRecordsArgs, @Ctx() ctx: Context): Promise<FileImport> {
    const { organizationId, file, format, dryRun, callHooks } = args;
    authorize(ctx, organizationId, policies.fileImport.change);
    return this.imports.begin(ctx.caller, eventOf(ctx, ImportKind.records, { dryRun: dryRun !== false }), {
      organizationId,
      kind: ImportKind.records,
      file: bodyOf(file, format ?? ImportFormat.csv),
      options: { clearEmpty: false, callHooks: callHooks === true },
      dryRun: dryRun !== false,
    });
  }

  @Query(() => FileImport, { description: 'An import, with the outcome of its lines so far. It is kept for a week.' })
  fileImport(
    @Args(() => FileImportArgs) { organizationId, importId }: FileImportArgs,
    @Ctx() ctx: Context,
  ): Promise<FileImport> {
    authorize(ctx, organizationId, policies.fileImport.read);
    return this.imports.find(organizationId, importId);
  }

  @Mutation(() => FileImport, {
    description: 'Imports a file whose dry run has ended, except lines with faults, in a job.',
  })
  applyFileImport(
    @Args(() => FileImportArgs) { organizationId, importId }: FileImportArgs,
    @Ctx() ctx: Context,
  ): Promise<FileImport> {
    authorize(ctx, organizationId, policies.fileImport.change);
    return this.imports.apply(ctx.caller, eventOf(ctx), organizationId, importId);
  }

  @Mutation(() => FileImport, {
    description: 'Deletes a file and ends its job. Data already stored from the file stay.',
  })
  deleteFileImport(
    @Args(() => FileImportArgs) { organizationId, importId }: FileImportArgs,
    @Ctx() ctx: Context,
  ): Promise<FileImport> {
    authorize(ctx, organizationId, policies.fileImport.change);
    return this.imports.remove(eventOf(ctx), organizationId, importId);
  }

  @FieldResolver(() => Job, { nullable: true, description: 'Job of the import: the dry run, then the import itself.' })
  async job(@Root() { organizationId, jobId }: FileImport): Promise<Job | null> {
    return (jobId != null && (await this.jobs.find(organizationId, jobId))) || null;
  }
}

/** Returns a function that builds the audit event of an operation on an import, once its identifier is known. */
const eventOf =
  ({ audit }: Context, kind?: ImportKind, values: Readonly<Record<string, boolean>> = {}) =>
  (found: { id: string; kind?: ImportKind }): Sql => {
    return audit.event({ kind: 'import', id: found.id, name: kind ?? found.kind ?? null }, newValues(values));
  };

/** Returns a file. In the graph a file arrives as text. */
const bodyOf = (file: FileBody | string, format: ImportFormat): FileBody =>
  typeof file === 'string'
    ? new FileBody(format, async function* () {
        yield Buffer.from(file, format === ImportFormat.parquet ? 'base64' : 'utf8');
      })
    : file;
