import { firstId } from '../entities/id.js';
import type { DeviceRecord } from '../entities/record.js';
import type { PlainJson } from '../json.js';
import { createFeed, type Feed } from './feed.js';
import {
  choosingTimeout,
  type FeedShared,
  pageSize,
  type Question,
  type Row,
  type Subscriber,
  type Told,
} from './feed-options.js';
import { merge, type Range } from './range.js';
import { maxCharacters } from './stream.js';

/** Somebody who is told of records. */
export interface RecordSubscriber extends Subscriber<DeviceRecord> {
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

/** Which of an organization's stored records a query matches; undefined where that takes too long. */
export type MatchStored = (
  query: PlainJson,
  organizationId: string,
  records: readonly DeviceRecord[],
) => Promise<ReadonlySet<string> | undefined>;

/** Which committed records to read, as the log of records is asked. */
export interface ChangesQuestion {
  unseenBy: string;
  seenBy?: string;
  organizationIds: readonly string[];
  applicationIds: readonly string[];
  ranges: readonly Range[];
  after?: string;
  limit: number;
  maxBytes: number;
  maxTotalBytes: number;
  /** Whether it may take its time. */
  slow: boolean;
}

/** A record as the log answers it; its JSON as text, null where it is too large to be told. */
interface CommittedRecord {
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

/** Reads committed records, once each, with the applications that their devices are linked to. */
export type ReadChanges = (question: ChangesQuestion) => Promise<CommittedRecord[]>;

/** Settings of a feed of records. */
export interface RecordFeedOptions extends FeedShared {
  match: MatchStored;
  changes: ReadChanges;
  onDemand(demanded: boolean): void;
}

/** Tells of records as they are committed. */
export const createRecordFeed = ({
  match,
  changes,
  ...options
}: RecordFeedOptions): Feed<DeviceRecord, RecordSubscriber> => {
  const choose = createChoose(match);
  return createFeed<DeviceRecord, RecordRow, RecordSubscriber>({
    ...options,
    remembered: 0,
    async read(question, pool) {
      const rows = await changes(changesOf(question, pool === options.slowPool));
      return rows.map(rowOf);
    },
    sort: sortRecords,
    isChoosy: ({ query }) => query !== undefined,
    choose,
  });
};

/** Most that is read of one organization's records of a page, in bytes as they are stored. */
const maxReadBytes = 8 * maxCharacters;

/** The question of a page; of each organization the newest: no stream could hold more. */
const changesOf = (question: Question<RecordSubscriber>, slow: boolean): ChangesQuestion => {
  const { subscribers, ranges, since, after, unseenBy, seenBy } = question;
  return {
    unseenBy,
    ...(seenBy !== undefined && { seenBy }),
    organizationIds: [...new Set(subscribers.map(({ organizationId }) => organizationId))],
    applicationIds: [...new Set(subscribers.flatMap(({ claim }) => claim.applicationId ?? []))],
    ranges: ranges ? merge(ranges) : [{ low: firstId(since), high: highestId }],
    ...(after !== undefined && { after }),
    limit: pageSize,
    maxBytes: maxCharacters,
    maxTotalBytes: maxReadBytes,
    slow,
  };
};

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const rowOf = ({
  id,
  xid,
  organizationId,
  applications,
  metadata,
  data,
  frame,
  ...rest
}: CommittedRecord): RecordRow => ({
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
  // A record that is too large to be read fits into no stream, which counts it as missed.
  size:
    metadata === null || data === null
      ? Number.POSITIVE_INFINITY
      : metadata.length + data.length + (frame?.length ?? 0) + 200,
});

const objectOf = (text: string | null) => JSON.parse(text ?? '{}') as DeviceRecord['data'];

/** Who may be told of which records, queries aside. */
function sortRecords(
  rows: readonly RecordRow[],
  subscribers: readonly RecordSubscriber[],
): Map<RecordSubscriber, readonly RecordRow[]> {
  const byApplication = new Map<string, RecordRow[]>();
  for (const row of rows) {
    for (const id of row.applications) {
      const others = byApplication.get(id);
      if (others) others.push(row);
      else byApplication.set(id, [row]);
    }
  }
  const wanted = new Map<RecordSubscriber, readonly RecordRow[]>();
  for (const someone of subscribers) {
    const { claim, deviceIds } = someone;
    const all = byApplication.get(claim.applicationId!) ?? [];
    const some = deviceIds ? all.filter(({ item }) => deviceIds.has(item.deviceId)) : all;
    if (some.length > 0) wanted.set(someone, some);
  }
  return wanted;
}

/**
 * Runs each query of the organization's subscriptions once, over all records that its subscribers might be told, one query
 * after the other until the time is over. Records whose query was not reached stay open, and that query runs first the next
 * time. A query that runs out of time has a second try unless it did so before; then its records count as missed.
 */
function createChoose(match: MatchStored) {
  /** When each subscriber's query last ran; forgotten together with the subscriber. */
  const askedAt = new WeakMap<RecordSubscriber, number>();
  /** Subscribers whose query ran out of time when it last ran. */
  const late = new WeakSet<RecordSubscriber>();
  const ask = async (
    alike: readonly RecordSubscriber[],
    wanted: ReadonlyMap<RecordSubscriber, readonly RecordRow[]>,
  ): Promise<(rows: readonly RecordRow[]) => Told<RecordRow>> => {
    const { query, organizationId } = alike[0]!;
    const records = new Set(alike.flatMap((someone) => wanted.get(someone)!.map(({ item }) => item)));
    const once = () => match(query!, organizationId, [...records]);
    const found = (await once()) ?? (late.has(alike[0]!) ? undefined : await once());
    for (const someone of alike) {
      if (found === undefined) late.add(someone);
      else late.delete(someone);
    }
    if (found === undefined) return (rows) => ({ rows: [], missed: rows.length, open: [] });
    return (rows) => ({ rows: rows.filter(({ item }) => found.has(item.id)), missed: 0, open: [] });
  };
  return async (
    wanted: ReadonlyMap<RecordSubscriber, readonly RecordRow[]>,
  ): Promise<Map<RecordSubscriber, Told<RecordRow>>> => {
    const end = performance.now() + choosingTimeout;
    const asking = [...Map.groupBy(wanted.keys(), questionOf).values()];
    const answers = new Map<RecordSubscriber, Told<RecordRow>>();
    const lastAsked = (alike: readonly RecordSubscriber[]) => askedAt.get(alike[0]!) ?? 0;
    for (const alike of asking.sort((a, b) => lastAsked(a) - lastAsked(b))) {
      const now = performance.now();
      const isReached = now < end;
      if (isReached) for (const someone of alike) askedAt.set(someone, now);
      const tell = isReached ? await ask(alike, wanted) : leaveOpen;
      for (const someone of alike) answers.set(someone, tell(wanted.get(someone)!));
    }
    return answers;
  };
}

const leaveOpen = (rows: readonly RecordRow[]): Told<RecordRow> => ({ rows: [], missed: 0, open: rows });

const questionOf = ({ organizationId, query }: RecordSubscriber): string => organizationId + JSON.stringify(query);
