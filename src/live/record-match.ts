import type { DeviceRecord } from '#entities/record.js';
import type { PlainJson } from '#json/json.js';
import { type CommittedRow, choosingTimeout, type Subscriber, type Told } from './feed-options.js';

export interface RecordSubscriber extends Subscriber<DeviceRecord> {
  /** Restricts the subscription to these devices. Absent for all devices that are linked to the application. */
  readonly deviceIds?: ReadonlySet<string>;
  /** Restricts the subscription to records that a search with this query would find. */
  readonly query?: PlainJson;
}

/** A committed record. */
export interface RecordRow extends CommittedRow<DeviceRecord> {
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
export function createChoose(match: MatchStored) {
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
