import { ArgsType, Field } from 'type-graphql';
import { DeliveryState } from '../entities/delivery.js';
import { ExportFormat, ExportSubject, OrganizationExportSubject } from '../entities/export.js';
import { LocatedJSON } from '../entities/located-json.js';
import type { LocatedJson } from '../json.js';
import { OrganizationArgs } from './account.args.js';
import { choice, id, ids, label, labels, unixTime } from './fields.js';

/** Format of an export, and the limits that every kind of export has. */
@ArgsType()
class FileArgs extends OrganizationArgs {
  @choice(() => ExportFormat, 'Format of the file; CSV unless given.', { optional: true }) format?: ExportFormat | null;
  @labels(
    'Columns: paths such as `ts`, `device.serial`, `data.temperature`, `metadata`, or `cursor`. Those of the products unless given.',
    500,
    300,
  )
  columns?: string[] | null;
  @label('Zone that times are written in, such as `Europe/Berlin` or `+01:00`; UTC unless given.', 64, {
    optional: true,
  })
  timeZone?: string | null;
  @unixTime('Measured, of deliveries stored, of episodes opened, from then on: Unix seconds, included.') from?:
    | number
    | null;
  @unixTime('Measured, of deliveries stored, of episodes opened, up to then: Unix seconds, included.') to?:
    | number
    | null;
  @choice(() => DeliveryState, 'Only deliveries that stand so.', { optional: true }) state?: DeliveryState | null;
  @label('Goes on after the row that had this in its column `cursor`.', 200, { optional: true }) after?: string | null;
}

/** Content and format of an export of an organization. */
@ArgsType()
export class OrganizationExportArgs extends FileArgs {
  @choice(() => OrganizationExportSubject, 'What it holds; devices unless given.', { optional: true })
  of?: OrganizationExportSubject | null;
}

/** Content and format of an export of an application. */
@ArgsType()
export class ExportArgs extends FileArgs {
  @id('Identifier of the application.') applicationId!: string;
  @choice(() => ExportSubject, 'What it holds; records unless given.', { optional: true }) of?: ExportSubject | null;
  @ids('Only records of these products.') products?: string[] | null;
  @Field(() => LocatedJSON, { nullable: true, description: 'Which records: a query as searches take it.' })
  query?: LocatedJson | null;
  @Field(() => LocatedJSON, { nullable: true, description: 'Of aggregations: these, as searches take them.' })
  aggs?: LocatedJson | null;
  @id('Only deliveries of this hook.', { optional: true }) applicationHookId?: string | null;
}
