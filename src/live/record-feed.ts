import type { IdRange } from '#entities/id.js';
import { firstId } from '#entities/id.js';
import type { DeviceRecord } from '#entities/record.js';
import { createFeed, type Feed } from './feed.js';
import { type FeedQuestion, type FeedShared, pageSize } from './feed-options.js';
import { mergeClose } from './id-range.js';
import { createChoose, type MatchStored, type RecordRow, type RecordSubscriber } from './record-match.js';
import { maxCharacters } from './stream.js';

/** Selects the committed records to read from the record store. */
export interface ChangesQuestion {
  unseenBy: string;
  seenBy?: string;
  organizationIds: readonly string[];
  applicationIds: readonly string[];
  ranges: readonly IdRange[];
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
const changesOf = (question: FeedQuestion<RecordSubscriber>, slow: boolean): ChangesQuestion => {
  const { subscribers, ranges, since, after, unseenBy, seenBy } = question;
  return {
    unseenBy,
    ...(seenBy !== undefined && { seenBy }),
    organizationIds: [...new Set(subscribers.map(({ organizationId }) => organizationId))],
    applicationIds: [...new Set(subscribers.flatMap(({ claim }) => claim.applicationId ?? []))],
    ranges: ranges ? mergeClose(ranges) : [{ low: firstId(since), high: highestId }],
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
