import sql, { join, type Sql } from 'sql-template-tag';
import { can, policies } from '#auth/policies.js';
import { deviceRows } from '#auth/rows.js';
import { ApiError, type Fault, invalid, tooLarge } from '#common/errors.js';
import type { ReadingCall } from '#entities/caller.js';
import { DeliveryState } from '#entities/delivery.js';
import { earliestId, endId, isId, nilId } from '#entities/id.js';
import { attributesAt } from '#records/derive/attribute.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';
import { everything } from '#schema/selected-fields.js';
import { idCursorText, markOf, readIdCursor } from './cursor.js';
import { auditEventColumns, deliveryColumns, deviceColumns, episodeColumns } from './list-columns.js';
import { patiently } from './page.js';
import type { Column, ExportRow, Table } from './table.js';

/** Sources of lists. */
export interface ListSource {
  /** Runs a read on the pool of slow reads, which organizations share. */
  readonly readWithin: (call: ReadingCall, query: Sql, milliseconds: number) => Promise<object[]>;
  /** Selects deliveries `d`. */
  readonly deliveryRows: Sql;
  /** Selects episodes `e`. */
  readonly episodeRows: Sql;
  /** Selects events of the audit log, as `e`. */
  readonly auditEventRows: Sql;
}

/**
 * Arguments of an export of a list: from one application, or from everything in the organization that the caller can
 * read.
 */
type ListArgs = OrganizationExportArgs | ExportArgs;

/** A list in the order of identifiers, which is the order of creation. */
interface List {
  readonly columns: readonly Column[];
  /** Selects the first items whose identifier meets a condition. */
  readonly rows: (isBetween: (id: Sql) => Sql, limit: number) => Sql;
  /** Selects the existing identifiers as `id`. */
  readonly ids: Sql;
}

const withMore = sql`, (
  select json_build_object('id', ds.site_id) from device_site ds where ds.device_id = d.id and ds.ended_at is null) as site, (
  select jsonb_object_agg(at.name, at.value) from (${attributesAt(sql`array[d.id]`, sql`now()`)}) at) as attributes`;

const devicesOf = ({ caller }: Context, args: ListArgs): List => {
  if ('applicationId' in args)
    return {
      columns: deviceColumns,
      rows: (
        isBetween,
        limit,
      ) => sql`${deviceRows(caller, everything, withMore)} join application_device l on l.device_id = d.id
        where l.application_id = ${args.applicationId} and ${isBetween(sql`d.id`)} order by d.id limit ${limit}`,
      ids: sql`select device_id as id from application_device where application_id = ${args.applicationId}`,
    };
  const where = sql`d.organization_id = ${args.organizationId} and ${can(caller, policies.device.read)}`;
  return {
    columns: deviceColumns,
    rows: (isBetween, limit) => sql`${deviceRows(caller, everything, withMore)}
      where ${where} and ${isBetween(sql`d.id`)} order by d.id limit ${limit}`,
    ids: sql`select d.id from device d where ${where}`,
  };
};

const deliveriesOf = ({ caller }: Context, deliveryRows: Sql, args: ListArgs): List => {
  const { from, to, state } = args;
  const hookId = 'applicationHookId' in args ? args.applicationHookId : undefined;
  const applications =
    'applicationId' in args
      ? sql`a.id = ${args.applicationId}`
      : sql`a.organization_id = ${args.organizationId} and ${can(caller, policies.delivery.read)}`;
  const where = join(
    [
      sql`d.application_id = a.id`,
      ...(hookId == null ? [] : [isId(hookId) ? sql`d.hook_id = ${hookId}` : sql`false`]),
      ...(from == null ? [] : [sql`d.id >= ${earliestId(from)}`]),
      ...(to == null ? [] : [sql`d.id < ${endId(to)}`]),
      ...(state == null ? [] : [standing[state]]),
    ],
    ' and ',
  );
  /** Selects the keys of each application's first deliveries: only an index by application has deliveries in order. */
  const keys = (rest: Sql) => sql`select k.* from application a
    cross join lateral (select d.hook_id, d.id from delivery d where ${where}${rest}) k where ${applications}`;
  return {
    columns: deliveryColumns,
    rows: (isBetween, limit) => sql`${deliveryRows} join (
        ${keys(sql` and ${isBetween(sql`d.id`)} order by d.id limit ${limit}`)} order by k.id limit ${limit}
      ) k on k.hook_id = d.hook_id and k.id = d.id order by d.id`,
    ids: keys(sql` order by d.id desc limit 1`),
  };
};

const standing: Readonly<Record<DeliveryState, Sql>> = {
  [DeliveryState.pending]: sql`not d.done`,
  [DeliveryState.succeeded]: sql`d.done and d.state = 'succeeded'`,
  [DeliveryState.failed]: sql`d.done and d.state <> 'succeeded'`,
};

const episodesOf = ({ caller }: Context, episodeRows: Sql, args: ListArgs): List => {
  const { from, to } = args;
  const applications =
    'applicationId' in args
      ? sql`e.application_id = ${args.applicationId}`
      : sql`e.application_id in (select a.id from application a
              where a.organization_id = ${args.organizationId} and ${can(caller, policies.episode.read)})`;
  const where = join(
    [
      applications,
      ...(from == null ? [] : [sql`e.opened_at >= to_timestamp(${from}::float8)`]),
      ...(to == null ? [] : [sql`e.opened_at <= to_timestamp(${to}::float8)`]),
    ],
    ' and ',
  );
  return {
    columns: episodeColumns,
    rows: (isBetween, limit) => sql`${episodeRows}
      where ${where} and ${isBetween(sql`e.id`)} order by e.id limit ${limit}`,
    ids: sql`select e.id from episode e where ${where}`,
  };
};

const auditEventsOf = (auditEventRows: Sql, { organizationId, from, to }: ListArgs): List => {
  const where = join(
    [
      sql`e.organization_id = ${organizationId}`,
      ...(from == null ? [] : [sql`e.id >= ${earliestId(from)}`]),
      ...(to == null ? [] : [sql`e.id < ${endId(to)}`]),
    ],
    ' and ',
  );
  return {
    columns: auditEventColumns,
    rows: (isBetween, limit) => sql`${auditEventRows}
      where ${where} and ${isBetween(sql`e.id`)} order by e.id limit ${limit}`,
    ids: sql`select e.id from audit_event e where ${where}`,
  };
};

/** Kinds of lists that can be exported. */
export type ListSubject = 'devices' | 'deliveries' | 'episodes' | 'auditEvents';

const listOf = (
  { deliveryRows, episodeRows, auditEventRows }: ListSource,
  ctx: Context,
  args: ListArgs,
  of: ListSubject,
): List => {
  if (of === 'devices') return devicesOf(ctx, args);
  if (of === 'auditEvents') return auditEventsOf(auditEventRows, args);
  return of === 'deliveries' ? deliveriesOf(ctx, deliveryRows, args) : episodesOf(ctx, episodeRows, args);
};

/** Returns the table of a list. @throws ApiError 422 for columns that its items do not have */
export const listTable = (source: ListSource, ctx: Context, args: ListArgs, of: ListSubject): Table => {
  const list = listOf(source, ctx, args, of);
  const kinds = new Map(list.columns.map(({ path, kind }) => [path, kind]));
  const places = new Set(['cursor', ...list.columns.map(({ path }) => path.split('.', 1)[0]!), ...alsoIn[of]]);
  const faults: Fault[] = (args.columns ?? []).flatMap((path, at) =>
    places.has(path.split('.', 1)[0]!) ? [] : [{ path: `columns.${at}`, message: 'is not a column of these rows' }],
  );
  if (faults.length > 0) throw invalid(faults);
  const isChosen = (args.columns?.length ?? 0) > 0;
  const columns = isChosen
    ? args.columns!.map((path): Column => ({ path, kind: kinds.get(path) ?? 'json' }))
    : list.columns;
  return { columns, isChosen, pages: listPages(source, ctx, args, list) };
};

const alsoIn = {
  devices: ['organizationId'],
  deliveries: ['application', 'request', 'attempts', 'truncated'],
  episodes: ['organizationId'],
  auditEvents: ['organizationId'],
} as const;

const firstLimit = 200;
const mostRows = 2000;
const readTimeout = 10_000;
/** Maximum number of characters of a page. */
const maxCharacters = 16 * 2 ** 20;

/** Reads a list page by page, up to the newest item at the beginning. Nothing stays open between two pages. */
async function* listPages(
  { readWithin }: ListSource,
  ctx: Context,
  args: ListArgs,
  list: List,
): AsyncGenerator<ExportRow[], void> {
  const { caller, position, signal } = ctx;
  const mark = markOf(args);
  const read = <R>(query: Sql) => {
    let characters = 0;
    const weighRows = (more: number) => {
      characters += more;
      if (characters > maxCharacters) throw tooLarge('These rows are too large.');
    };
    const call = { caller, position, signal, weighRows, timeLeft: () => undefined };
    return readWithin(call, query, readTimeout) as Promise<R[]>;
  };
  const newest = async () =>
    (await read<{ id: string }>(sql`select id from (${list.ids}) made order by id desc limit 1`))[0]?.id;
  const given = args.after == null ? undefined : readIdCursor(args.after, mark);
  const last = given?.last ?? (await newest());
  let after = given?.after ?? nilId;
  for (let limit = firstLimit; last !== undefined; ) {
    const between = (id: Sql) => sql`${id} > ${after}::uuid and ${id} <= ${last}::uuid`;
    const page = await patiently(() => smaller(read<ExportRow & { id: string }>(list.rows(between, limit))), signal);
    if (page === 'smaller') {
      if (limit === 1) throw tooLarge('A row of this export is too large: name fewer columns.');
      limit = Math.ceil(limit / 8);
      continue;
    }
    after = page.at(-1)?.id ?? after;
    if (page.length > 0) yield page.map((row) => withCursor(row, idCursorText(mark, { last, after: row.id })));
    if (page.length < limit) return;
    limit = Math.min(mostRows, limit * 2);
  }
}

/** Adds the cursor to a row. Removes nulls, and the columns that only paging needs. */
const withCursor = (
  { cursorKeys: _keys, lat: _lat, lon: _lon, productId: _product, ...row }: ExportRow,
  cursor: string,
): ExportRow => ({
  ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
  cursor,
});

const smaller = async <R>(reading: Promise<R[]>): Promise<R[] | 'smaller'> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'TOO_LARGE' || error.code === 'TIMEOUT')) return 'smaller';
    throw error;
  }
};
