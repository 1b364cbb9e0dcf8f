import { ArgsType, Field } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { type FileBody, FileContent, ImportFormat } from '#entities/file-import.js';
import { flag, id } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

const dryRun = () =>
  flag('Whether to only report the outcome of each line (the default). With false, the file is imported at once.');

/** A file of devices to import. */
@ArgsType()
export class ImportDevicesArgs extends OrganizationArgs {
  @Field(() => FileContent, { description: 'The devices as CSV.' }) file!: FileBody | string;
  @dryRun() dryRun?: boolean | null;
  @flag('Whether an empty cell clears the value of a device. By default the value stays unchanged.')
  clearEmpty?: boolean | null;
}

/** A file of past records to import. */
@ArgsType()
export class ImportRecordsArgs extends OrganizationArgs {
  @Field(() => FileContent, { description: 'The records as CSV, NDJSON or Parquet.' }) file!: FileBody | string;
  @GraphOnly()
  @Field(() => ImportFormat, { nullable: true, description: 'Format of the file; by default CSV.' })
  format?: ImportFormat | null;
  @dryRun() dryRun?: boolean | null;
  @flag('Whether hooks are called with these records, as if they were new; by default no hook is called.')
  callHooks?: boolean | null;
}

/** Identifies an import. */
@ArgsType()
export class FileImportArgs extends OrganizationArgs {
  @id('Identifier of the import.') importId!: string;
}
