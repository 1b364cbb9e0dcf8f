import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { requireOrganization } from '../auth/access.js';
import { FileBody, FileImport, ImportFormat, ImportKind } from '../entities/file-import.js';
import { Job } from '../entities/job.js';
import type { Imports } from '../imports/imports.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Context } from '../schema/context.js';
import { FileImportArgs, ImportDevicesArgs, ImportRecordsArgs } from '../schema/file-import.args.js';

/** Resolves imports of files: devices, and past records. */
@Resolver(() => FileImport)
export class FileImportResolver {
  constructor(
    private readonly imports: Imports,
    private readonly jobs: Pick<Jobs, 'find'>,
  ) {}

  @Mutation(() => FileImport, {
    description:
      'Takes a file of devices, registers those that are new and changes the others by their serial, as a job. Unless it is told otherwise it first only says what it would do, with every fault.',
  })
  importDevices(@Args(() => ImportDevicesArgs) args: ImportDevicesArgs, @Ctx() ctx: Context): Promise<FileImport> {
    const { organizationId, file, dryRun, clearEmpty } = args;
    requireOrganization(ctx, organizationId, 'write');
    return this.imports.begin(ctx.caller, {
      organizationId,
      kind: ImportKind.devices,
      file: bodyOf(file, ImportFormat.csv),
      options: { clearEmpty: clearEmpty === true, callHooks: false },
      dryRun: dryRun !== false,
    });
  }

  @Mutation(() => FileImport, {
    description:
      'Takes a file of past records and stores those that were not stored before, as a job. Unless it is told otherwise it first only says what is wrong with which line; hooks are called only where that is asked for.',
  })
  importRecords(@Args(() => ImportRecordsArgs) args: ImportRecordsArgs, @Ctx() ctx: Context): Promise<FileImport> {
    const { organizationId, file, format, dryRun, callHooks } = args;
    requireOrganization(ctx, organizationId, 'write');
    return this.imports.begin(ctx.caller, {
      organizationId,
      kind: ImportKind.records,
      file: bodyOf(file, format ?? ImportFormat.csv),
      options: { clearEmpty: false, callHooks: callHooks === true },
      dryRun: dryRun !== false,
    });
  }

  @Query(() => FileImport, { description: 'An import, and what became of its lines so far. Kept for a week.' })
  fileImport(
    @Args(() => FileImportArgs) { organizationId, importId }: FileImportArgs,
    @Ctx() ctx: Context,
  ): Promise<FileImport> {
    requireOrganization(ctx, organizationId, 'write');
    return this.imports.find(organizationId, importId);
  }

  @Mutation(() => FileImport, {
    description: 'Imports a file whose dry run is over: all lines but those with faults. As a job.',
  })
  applyFileImport(
    @Args(() => FileImportArgs) { organizationId, importId }: FileImportArgs,
    @Ctx() ctx: Context,
  ): Promise<FileImport> {
    requireOrganization(ctx, organizationId, 'write');
    return this.imports.apply(ctx.caller, organizationId, importId);
  }

  @Mutation(() => FileImport, {
    description: 'Deletes a file, and ends the job on it. What was stored from it stays.',
  })
  deleteFileImport(
    @Args(() => FileImportArgs) { organizationId, importId }: FileImportArgs,
    @Ctx() ctx: Context,
  ): Promise<FileImport> {
    requireOrganization(ctx, organizationId, 'write');
    return this.imports.remove(organizationId, importId);
  }

  @FieldResolver(() => Job, { nullable: true, description: 'The work on it: the dry run, and after it the import.' })
  async job(@Root() { organizationId, jobId }: FileImport): Promise<Job | null> {
    return (jobId != null && (await this.jobs.find(organizationId, jobId))) || null;
  }
}

/** Returns a file. In the graph a file arrives as text. */
const bodyOf = (file: FileBody | string, format: ImportFormat): FileBody =>
  typeof file === 'string'
    ? new FileBody(format, async function* () {
        yield Buffer.from(file, format === ImportFormat.parquet ? 'base64' : 'utf8');
      })
    : file;
