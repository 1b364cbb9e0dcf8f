import type { Pool } from 'pg';
import type { Logger } from 'pino';
import sql, { type Sql } from 'sql-template-tag';
import { firstId } from '../entities/id.js';
import type { DeviceRecord } from '../entities/record.js';
import type { PlainJson } from '../json.js';
import { createFeed, type Feed, pageSize, type Question, type Recheck, type Row, type Subscriber } from './feed.js';
import { moment, wholeXid } from './moment.js';
import { merge } from './range.js';
import { mostCharacters } from './stream.js';

/** Somebody who is told of records. */
export interface RecordSubscriber extends Subscriber<DeviceRecord> {
  readonly organizationId: string;
  /** Only of these devices; absent: of all that are linked to the application. */
  readonly deviceIds?: ReadonlySet<string>;
  /** Only what a search with this query would find. */
  readonly query?: PlainJson;
}

/** A record that was committed. */
interface RecordRow extends Row<DeviceRecord> {
  /** Applications that its device is linked to, of those that somebody has subscribed to. */
  applications: readonly string[];
  organizationId: string;
}

/** Of stored records, all of one organization, those that a query matches; undefined where that takes too long. */
export type MatchStored = (
  query: PlainJson,
  organizationId: string,
  records: readonly DeviceRecord[],
) => Promise<ReadonlySet<string> | undefined>;

/** Settings of a feed of records. */
export interface RecordFeedOptions {
  pool: Pool;
  recheck: Recheck;
  match: MatchStored;
  log: Logger;
  onDemand(demanded: boolean): void;
}

/** Tells of records as they are committed. */
export const createRecordFeed = ({ match, ...options }: RecordFeedOptions): Feed<DeviceRecord, RecordSubscriber> =>
  createFeed<DeviceRecord, RecordRow, RecordSubscriber>({
    ...options,
    remembered: 0,
    async read(question) {
      const { text, values } = recordsQuery(question);
      const { rows } = await options.pool.query<StoredRow>({ name: 'live-records', text, values });
      return rows.map(rowOf);
    },
    sort: (rows, subscribers) => sortRecords(rows, subscribers, match),
  });

/** A record as the statement answers it; its JSON as text, null where it is too large to be told. */
interface StoredRow {
  id: string;
  xid: string;
  organizationId: string;
  deviceId: string;
  productId: string | null;
  ts: number;
  metadata: string | null;
  data: string | null;
  frame: string | null;
  applications: string[];
}

/**
 * Reads each record once, whoever wants it, with the applications that its device is linked to at this moment: a device
 * that was unlinked has none, and its records are not even read.
 */
const recordsQuery = ({ subscribers, unseenBy, seenBy, ranges, since, after }: Question<RecordSubscriber>): Sql => {
  const between = ranges ? merge(ranges) : [{ low: firstId(since), high: highestId }];
  const xid = wholeXid(sql`r.xmin`);
  const applications = [...new Set(subscribers.map(({ claim }) => claim.applicationId))];
  const organizations = [...new Set(subscribers.map(({ organizationId }) => organizationId))];
  const fits = sql`pg_column_size(r.metadata) + pg_column_size(r.data) + coalesce(pg_column_size(r.frame), 0) < ${mostCharacters}::int`;
  return sql`
    select f.* from ${moment} cross join lateral (
      select r.id, ${xid}::text as xid, r.organization_id as "organizationId", r.device_id as "deviceId",
             r.product_id as "productId", extract(epoch from r.ts)::float8 as ts,
             case when ${fits} then r.metadata::text end as metadata, case when ${fits} then r.data::text end as data,
             case when ${fits} then r.frame::text end as frame, l.applications
        from unnest(${between.map(({ low }) => low)}::uuid[], ${between.map(({ high }) => high)}::uuid[]) g (low, high)
        join record r on r.id between g.low and g.high
       cross join lateral (
         select array_agg(ad.application_id::text) as applications from application_device ad
          where ad.device_id = r.device_id and ad.application_id = any(${applications}::uuid[])) l
       where r.organization_id = any(${organizations}::uuid[]) and l.applications is not null
         and r.id > ${after ?? firstId(0)}::uuid
         and not pg_visible_in_snapshot(${xid}, ${unseenBy}::pg_snapshot)
         and (${seenBy ?? null}::pg_snapshot is null or pg_visible_in_snapshot(${xid}, ${seenBy ?? null}::pg_snapshot))
       order by r.id limit ${pageSize}::int) f`;
};

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const rowOf = ({ id, xid, organizationId, applications, metadata, data, frame, ...rest }: StoredRow): RecordRow => ({
  key: id,
  cursor: id,
  xid,
  organizationId,
  applications,
  item: {
    id,
    ...rest,
    metadata: objectOf(metadata),
    data: objectOf(data),
    frame: frame === null ? null : objectOf(frame),
  },
  // What is too large to be read does not fit into any stream, which counts it as missed.
  size:
    metadata === null || data === null
      ? Number.POSITIVE_INFINITY
      : metadata.length + data.length + (frame?.length ?? 0) + 200,
});

const objectOf = (text: string | null) => JSON.parse(text ?? '{}') as DeviceRecord['data'];

/** Who is told of which records: a query is asked once of all records that anybody with that query might be told of. */
async function sortRecords(
  rows: readonly RecordRow[],
  subscribers: readonly RecordSubscriber[],
  match: MatchStored,
): Promise<Map<RecordSubscriber, { rows: RecordRow[]; missed: number }>> {
  const byApplication = new Map<string, RecordRow[]>();
  for (const row of rows) {
    for (const id of row.applications) {
      const known = byApplication.get(id);
      if (known) known.push(row);
      else byApplication.set(id, [row]);
    }
  }
  const wanted = new Map<RecordSubscriber, RecordRow[]>();
  for (const someone of subscribers) {
    const { claim, deviceIds } = someone;
    const all = byApplication.get(claim.applicationId) ?? [];
    const some = deviceIds ? all.filter(({ item }) => deviceIds.has(item.deviceId)) : all;
    if (some.length > 0) wanted.set(someone, some);
  }
  const matches = await matchAll(wanted, match);
  return new Map(
    [...wanted].map(([someone, some]) => {
      if (someone.query === undefined) return [someone, { rows: some, missed: 0 }];
      const found = matches.get(questionOf(someone));
      if (found === undefined) return [someone, { rows: [], missed: some.length }];
      return [someone, { rows: some.filter(({ item }) => found.has(item.id)), missed: 0 }];
    }),
  );
}

async function matchAll(
  wanted: ReadonlyMap<RecordSubscriber, readonly RecordRow[]>,
  match: MatchStored,
): Promise<ReadonlyMap<string, ReadonlySet<string> | undefined>> {
  const asking = Map.groupBy(
    [...wanted.keys()].filter(({ query }) => query !== undefined),
    questionOf,
  );
  return new Map(
    await Promise.all(
      [...asking].map(async ([question, alike]) => {
        const { query, organizationId } = alike[0]!;
        const records = new Set(alike.flatMap((someone) => wanted.get(someone)!.map(({ item }) => item)));
        return [question, await match(query!, organizationId, [...records])] as const;
      }),
    ),
  );
}

const questionOf = ({ organizationId, query }: RecordSubscriber): string => organizationId + JSON.stringify(query);
