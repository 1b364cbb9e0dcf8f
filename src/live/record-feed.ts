import { firstId } from '#entities/id.js';
import type { DeviceRecord } from '#entities/record.js';
import type { PlainJson } from '#json/json.js';
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

/** A subscriber to records. */
export interface RecordSubscriber extends Subscriber<DeviceRecord> {
  /** Restricts the subscription to these devices. Absent for all devices that are linked to the application. */
  readonly deviceIds?: ReadonlySet<string>;
  /** Restricts the subscription to records that a search with this query would find. */
  readonly query?: PlainJson;
}

/** A committed record. */
interface RecordRow extends Row<DeviceRecord> {
  /** Applications with subscribers that the record's device is linked to. */
  applications: readonly string[];
  organizationId: string;
}

/**
 * Matches several queries against stored records of an organization, within `timeoutMs`. Returns the matching
 * identifiers for each query; undefined for a query that cannot be answered, and for all of them if they take too long
 * together.
 */
export type MatchStored = (
  queries: readonly PlainJson[],
  organizationId: string,
  records: readonly DeviceRecord[],
  timeoutMs: number,
) => Promise<readonly (ReadonlySet<string> | undefined)[]>;

/** Selects the committed records to read from the record store. */
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
  /** Whether the read may be slow. */
  slow: boolean;
}

/** A committed record as the record store returns it. Its JSON is text, or null if it is too large to be published. */
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

/** Reads committed records, each once, with the applications that their devices are linked to. */
export type ReadChanges = (question: ChangesQuestion) => Promise<CommittedRecord[]>;

/** Settings of a feed of records. */
export interface RecordFeedOptions extends FeedShared {
  match: MatchStored;
  changes: ReadChanges;
  onDemand(demanded: boolean): void;
}

/** Creates the feed of records, which publishes records as they are committed. */
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

/** Maximum number of stored bytes that are read of one organization's records per page. */
const maxReadBytes = 8 * maxCharacters;

/** Builds the read of a page. It takes the newest records of each organization, because no stream could hold more. */
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
  // No stream can hold a record that is too large to be read, so the record counts as missed.
  size:
    metadata === null || data === null
      ? Number.POSITIVE_INFINITY
      : metadata.length + data.length + (frame?.length ?? 0) + 200,
});

const objectOf = (text: string | null) => JSON.parse(text ?? '{}') as DeviceRecord['data'];

/** Assigns records to the subscribers that may see them, apart from their queries. */
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

/** Maximum time of a query over newly stored records, in milliseconds. Its records count as missed afterwards. */
const queryTimeout = 500;
/**
 * Maximum time of several queries together, in multiples of `queryTimeout`: more would delay queries that are quick by
 * themselves.
 */
const maxTimeouts = 4;
/** Maximum number of queries that one statement judges. */
const maxTogether = 20;

/** Subscribers with the same query. */
type Alike = readonly RecordSubscriber[];
type Wanted = ReadonlyMap<RecordSubscriber, readonly RecordRow[]>;

/**
 * Creates the function that judges records by the queries of an organization's subscriptions.
 *
 * Each query runs once, over all records that its subscribers might see, with many queries in one statement, until the
 * time is over. Queries that cannot be answered together run one by one. A query that times out by itself runs alone
 * from then on, so that it does not delay the others. Records whose query was not reached stay open, and that query
 * runs first the next time. A query that times out gets a second try unless its previous run timed out too; then its
 * records count as missed.
 */
function createChoose(match: MatchStored) {
  /** Time at which each subscriber's query last ran. */
  const askedAt = new WeakMap<RecordSubscriber, number>();
  /** Subscribers whose query timed out when it last ran. */
  const late = new WeakSet<RecordSubscriber>();
  const isLate = ([first]: Alike) => late.has(first!);
  const lastAsked = ([first]: Alike) => askedAt.get(first!) ?? 0;

  const matchAll = (several: readonly Alike[], wanted: Wanted) => {
    const records = new Set(several.flat().flatMap((someone) => wanted.get(someone)!.map(({ item }) => item)));
    const queries = several.map(([first]) => first!.query!);
    const timeout = queryTimeout * Math.min(queries.length, maxTimeouts);
    return match(queries, several[0]![0]!.organizationId, [...records], timeout);
  };
  const matchAlone = async (alike: Alike, wanted: Wanted) => {
    const once = async () => (await matchAll([alike], wanted))[0];
    const found = (await once()) ?? (isLate(alike) ? undefined : await once());
    for (const someone of alike) {
      if (found === undefined) late.add(someone);
      else late.delete(someone);
    }
    return found;
  };

  return async (wanted: Wanted): Promise<Map<RecordSubscriber, Told<RecordRow>>> => {
    const end = performance.now() + choosingTimeout;
    const answers = new Map<RecordSubscriber, Told<RecordRow>>();
    const answer = (alike: Alike, tell: (rows: readonly RecordRow[]) => Told<RecordRow>) => {
      for (const someone of alike) answers.set(someone, tell(wanted.get(someone)!));
    };
    const askAlone = async (alike: Alike) => {
      if (performance.now() >= end) return answer(alike, leaveOpen);
      for (const someone of alike) askedAt.set(someone, performance.now());
      answer(alike, tellFound(await matchAlone(alike, wanted)));
    };
    const asking = [...Map.groupBy(wanted.keys(), questionOf).values()].sort((a, b) => lastAsked(a) - lastAsked(b));
    const alone = asking.filter(isLate);
    const together = asking.filter((alike) => !isLate(alike));
    for (let from = 0; from < together.length; from += maxTogether) {
      const several = together.slice(from, from + maxTogether);
      const found = several.length > 1 && performance.now() < end ? await matchAll(several, wanted) : [];
      for (const [index, alike] of several.entries()) {
        if (found[index] === undefined) alone.push(alike);
        else answer(alike, tellFound(found[index]));
      }
    }
    for (const alike of alone.sort((a, b) => lastAsked(a) - lastAsked(b))) await askAlone(alike);
    return answers;
  };
}

const tellFound =
  (found: ReadonlySet<string> | undefined) =>
  (rows: readonly RecordRow[]): Told<RecordRow> =>
    found === undefined
      ? { rows: [], missed: rows.length, open: [] }
      : { rows: rows.filter(({ item }) => found.has(item.id)), missed: 0, open: [] };

const leaveOpen = (rows: readonly RecordRow[]): Told<RecordRow> => ({ rows: [], missed: 0, open: rows });

const questionOf = ({ organizationId, query }: RecordSubscriber): string => organizationId + JSON.stringify(query);
