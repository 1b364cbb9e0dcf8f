import { ArgsType, Field } from 'type-graphql';
import { DeliveryState } from '#entities/delivery.js';
import { ExportFormat, ExportSubject, OrganizationExportSubject } from '#entities/export.js';
import { LocatedJSON } from '#entities/located-json.js';
import type { LocatedJson } from '#json/json.js';
import { choice, flag, id, ids, label, labels, unixTime } from './fields.js';
import { OrganizationArgs } from './organization.args.js';

/** Format of an export, and the limits that every kind of export has. */
@ArgsType()
class FileArgs extends OrganizationArgs {
  @choice(() => ExportFormat, 'Format of the file; by default CSV.', { optional: true }) format?: ExportFormat | null;
  @labels(
    'Columns: paths such as `ts`, `device.serial`, `data.temperature`, `metadata`, or `cursor`. By default those of the products.',
    500,
    300,
  )
  columns?: string[] | null;
  @label('Time zone of times in the file, such as `Europe/Berlin` or `+01:00`; by default UTC.', 64, {
    optional: true,
  })
  timeZone?: string | null;
  @flag('Whether a CSV file begins with a byte order mark, by which Excel knows that it is UTF-8.')
  bom?: boolean | null;
  @unixTime('Only records measured, deliveries stored, episodes opened or events at this time or later: Unix seconds.')
  from?: number | null;
  @unixTime(
    'Only records measured, deliveries stored, episodes opened or events at this time or earlier: Unix seconds.',
  )
  to?: number | null;
  @choice(() => DeliveryState, 'Only deliveries in this state.', { optional: true }) state?: DeliveryState | null;
  @label('Continues after the row with this value in the column `cursor`.', 200, { optional: true }) after?:
    | string
    | null;
}

/** Content and format of an export of an organization. */
@ArgsType()
export class OrganizationExportArgs extends FileArgs {
  @choice(() => OrganizationExportSubject, 'Content of the export; by default devices.', { optional: true })
  of?: OrganizationExportSubject | null;
}

/** Content and format of an export of an application. */
@ArgsType()
export class ExportArgs extends FileArgs {
  @id('Identifier of the application.') applicationId!: string;
  @choice(() => ExportSubject, 'Content of the export; by default records.', { optional: true })
  of?: ExportSubject | null;
  @ids('Only records of these products.') products?: string[] | null;
  @Field(() => LocatedJSON, { nullable: true, description: 'Search query that records must match.' })
  query?: LocatedJson | null;
  @Field(() => LocatedJSON, { nullable: true, description: 'Aggregations to export, in the form of searches.' })
  aggs?: LocatedJson | null;
  @id('Only deliveries of this hook.', { optional: true }) applicationHookId?: string | null;
}
