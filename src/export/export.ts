import type { ServerResponse } from 'node:http';
import type { Sql } from 'sql-template-tag';
import { loadExported, requireExport } from '#auth/export-access.js';
import type { AccessClaim } from '#auth/recheck.js';
import { type Fault, invalid } from '#common/errors.js';
import { newValues } from '#entities/audit-event.js';
import { ExportFormat, ExportSubject, OrganizationExportSubject } from '#entities/export.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';
import { aggregationTable } from './aggregations.js';
import { recordColumns } from './columns.js';
import { formats } from './format.js';
import { type ListSource, type ListSubject, listTable } from './list.js';
import { recordPages } from './records.js';
import { send } from './send.js';
import type { ExportRow, Table } from './table.js';
import { timeWriter } from './time.js';

/** Subjects of the exports of an application and of an organization. */
type Subject = `${ExportSubject | OrganizationExportSubject}`;

export interface ExportOptions extends ListSource {
  readonly index: RecordIndex;
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
  /** Writes the event of an export, before the first byte is sent. */
  readonly note: (event: Sql) => Promise<unknown>;
  /** Checks again whether a token still has its access. */
  readonly recheck: (claims: readonly AccessClaim[]) => Promise<(Error | undefined)[]>;
}

/**
 * Streams an export as a file.
 * @throws ApiError for an invalid request, as long as nothing was sent
 */
export type SendExport = (
  ctx: Context,
  args: ExportArgs | OrganizationExportArgs,
  response: ServerResponse,
  hold: (bytes: number) => void,
) => Promise<void>;

/** Approximate memory of one export in bytes: a page as read, and as written. */
const held = 16 * 2 ** 20;

/** Creates the function that streams exports. */
export const createExport =
  (options: ExportOptions): SendExport =>
  async (ctx, given, response, hold) => {
    const { signal } = ctx;
    const args = inSeconds(given);
    const [of, name] = [subjectOf(args), args.format ?? ExportFormat.csv];
    requireTogether(of, name, args);
    const time = timeWriter(args.timeZone);
    const { organizationId } = args;
    const applicationId = isOfApplication(args) ? args.applicationId : null;
    if (isOfApplication(args)) await loadExported(ctx, args);
    else requireExport(ctx, args);
    hold(held);
    const table = await openTable(options, ctx, args, of);
    const { contentType, write } = formats[name];
    if (response.req.method !== 'HEAD') await options.note(eventOf(ctx, args, { of, format: name }));
    // The export contains its own event, which a standby may not have yet.
    if (of === 'auditEvents') ctx.readPrimary();
    const pages = permitted(options, ctx, applicationId, table.pages);
    const writing = {
      table: { ...table, pages },
      time,
      inZone: args.timeZone != null,
      organizationId,
      goesOn: args.after != null,
      bom: args.bom === true,
    };
    await send(response, write(writing), { contentType, fileName: `${of}.${name}` }, signal);
  };

const eventOf = (
  { audit }: Context,
  args: ExportArgs | OrganizationExportArgs,
  file: Readonly<Record<string, string>>,
) => {
  const isPart = isOfApplication(args);
  audit.begin(isPart ? 'applicationExport' : 'organizationExport');
  const target = isPart
    ? { kind: 'application', id: args.applicationId, name: null }
    : { kind: 'organization', id: args.organizationId, name: null };
  return audit.event(target, newValues(file));
};

const isOfApplication = (args: ExportArgs | OrganizationExportArgs): args is ExportArgs => 'applicationId' in args;

const subjectOf = (args: ExportArgs | OrganizationExportArgs): Subject =>
  isOfApplication(args) ? (args.of ?? ExportSubject.records) : (args.of ?? OrganizationExportSubject.devices);

/** Exports that are lists. */
const lists: Readonly<Partial<Record<Subject, ListSubject>>> = {
  [ExportSubject.devices]: 'devices',
  [ExportSubject.deliveries]: 'deliveries',
  [ExportSubject.episodes]: 'episodes',
  [OrganizationExportSubject.auditEvents]: 'auditEvents',
};

const openTable = async (
  options: ExportOptions,
  ctx: Context,
  args: ExportArgs | OrganizationExportArgs,
  of: Subject,
): Promise<Table> => {
  const list = lists[of];
  if (list !== undefined || !isOfApplication(args)) return listTable(options, ctx, args, list ?? 'devices');
  if (of === 'aggregations') return aggregationTable(options, ctx, args);
  return {
    columns: await recordColumns(ctx, options.index, args),
    isChosen: (args.columns?.length ?? 0) > 0,
    pages: recordPages({ ...options, ctx }, args),
  };
};

/** Arguments that only some exports accept. */
const onlyOf: Readonly<Record<string, readonly Subject[]>> = {
  query: [ExportSubject.records, ExportSubject.aggregations],
  products: [ExportSubject.records, ExportSubject.aggregations],
  from: ['records', 'aggregations', 'deliveries', 'episodes', 'auditEvents'],
  to: ['records', 'aggregations', 'deliveries', 'episodes', 'auditEvents'],
  aggs: [ExportSubject.aggregations],
  applicationHookId: [ExportSubject.deliveries],
  state: [ExportSubject.deliveries],
  after: ['records', 'devices', 'deliveries', 'episodes', 'auditEvents'],
};

/**
 * Checks that the arguments fit together: an argument that does not fit would have no effect.
 * @throws ApiError 422
 */
const requireTogether = (of: Subject, format: ExportFormat, args: ExportArgs | OrganizationExportArgs): void => {
  const faults: Fault[] = Object.entries(onlyOf).flatMap(([name, subjects]) =>
    args[name as keyof typeof args] == null || subjects.includes(of)
      ? []
      : [{ path: name, message: `is not for exports of ${of}` }],
  );
  if (args.bom === true && format !== ExportFormat.csv) faults.push({ path: 'bom', message: 'is only for CSV' });
  if (format === ExportFormat.parquet) {
    if (of === 'aggregations')
      faults.push({ path: 'format', message: 'must be csv or ndjson for aggregations: their columns have no types' });
    if (args.timeZone != null)
      faults.push({
        path: 'timeZone',
        message: 'is not for Parquet, whose times are instants: readers show them in a zone',
      });
    if (args.after != null)
      faults.push({ path: 'after', message: 'is not for Parquet: a file that was cut off cannot be continued' });
  }
  if (faults.length > 0) throw invalid(faults);
};

/**
 * Converts times to seconds. Times of 1e11 and more are milliseconds, which the graph's scalar has converted already.
 */
const inSeconds = <Args extends ExportArgs | OrganizationExportArgs>(args: Args): Args => {
  const seconds = (time: number | null | undefined) => (time == null || time < 1e11 ? time : time / 1000);
  return { ...args, from: seconds(args.from), to: seconds(args.to) };
};

/** Interval of checking the caller's access again, in milliseconds. */
const recheckEvery = 5000;

/**
 * Yields the pages while the token is valid and, for an application's export, may see the application: an export may
 * take hours.
 */
async function* permitted(
  { clock, recheck }: ExportOptions,
  { caller: { tokenId, role } }: Context,
  applicationId: string | null,
  pages: AsyncIterable<readonly ExportRow[]> | Iterable<readonly ExportRow[]>,
): AsyncGenerator<readonly ExportRow[], void> {
  let last = clock();
  for await (const page of pages) {
    // The clock may also be stepped back.
    if (Math.abs(clock() - last) >= recheckEvery) {
      const [fault] = await recheck([{ tokenId, role, applicationId, hookId: null }]);
      if (fault !== undefined) throw fault;
      last = clock();
    }
    yield page;
  }
}
