import sql from 'sql-template-tag';
import type { CallReads } from '#database/call-read.js';
import type { ReadingCall } from '#entities/caller.js';
import type { ListedRecord, ListedRecordPage, RecordIndex, RecordListRequest } from '../record-index.js';
import type { DocumentSource } from './document.js';
import type { Engine, EngineCall, EngineHit, EngineRange, Part, WholeAnswer } from './engine.js';
import { newestTimesOf } from './newest-time.js';
import { readingWithin } from './reading.js';

export interface ListOptions {
  engine: Engine;
  /** For the devices of applications. */
  reads: CallReads;
  /** Maximum duration of a read without a time limit of its own, in milliseconds. */
  timeoutMs: number;
}

/** Maximum number of documents of one request; the engine returns no more. */
const maxDocuments = 10_000;

/** Parts of a document that are read to show it. */
const shown = { _source: true, docvalue_fields: ['d', 'p', 'us', 'seq'] };

/** Creates the read of records by identifier. */
export const createClusterFind =
  ({ engine, timeoutMs }: ListOptions): RecordIndex['find'] =>
  (call, ids) =>
    readingWithin(timeoutMs, async () => {
      await engine.fresh(call.caller.organizationId, call.signal);
      const query = { ids: { values: ids } };
      const [found] = await engine.search(engineCall(call, call.timeLeft() ?? timeoutMs), [
        { ...shown, size: ids.length, track_total_hits: false, query },
      ]);
      return found!.hits.hits.map((hit) => recordOf(hit, call));
    });

/** Creates the list of records below devices or applications: one search for each parent, all in one request. */
export const createClusterList =
  ({ engine, reads }: ListOptions): RecordIndex['list'] =>
  (call, request) =>
    readingWithin(request.timeoutMs, async () => {
      const { limit, countUpTo } = request;
      await engine.fresh(call.caller.organizationId, call.signal);
      const asked = { ...engineCall(call, request.timeoutMs), from: request.from ?? null, to: request.to ?? null };
      const parents = await parentsOf(reads, call, request);
      const starts = await Promise.all(parents.map((parent) => startOf(engine, asked, parent, request)));
      const pages = parents.map((parent, index) => ({
        ...shown,
        ...inOrder(parent, request),
        ...starts[index],
        size: limit + 1,
      }));
      const counts =
        countUpTo === undefined
          ? []
          : parents.map((query) => ({ size: 0, track_total_hits: countUpTo + 1, query: inRange(query, request) }));
      const answers = await engine.search(asked, [...pages, ...counts]);
      return parents.map((_, index): ListedRecordPage => {
        // One more record was read, which shows whether there are more.
        const { hits } = answers[index]!.hits;
        const total = answers[parents.length + index]?.hits.total?.value;
        return {
          records: hits.slice(0, limit).map((hit) => recordOf(hit, call)),
          hasMore: hits.length > limit,
          ...(total !== undefined && { total: total > countUpTo! ? null : total }),
        };
      });
    });

/** Creates the read of each device's newest record time. */
export const createClusterNewestTimes =
  ({ engine }: ListOptions): RecordIndex['newestTimes'] =>
  (call, deviceIds, timeoutMs) =>
    readingWithin(timeoutMs, async () => {
      await engine.fresh(call.caller.organizationId, call.signal);
      const times = await newestTimesOf(engine, engineCall(call, timeoutMs), deviceIds);
      return new Map([...times].map(([id, at]) => [id, new Date(Math.round(at * 1000)).toISOString()]));
    });

const engineCall = ({ caller, signal }: ReadingCall, timeoutMs: number): EngineCall & EngineRange => ({
  organizationId: caller.organizationId,
  from: null,
  to: null,
  deadline: performance.now() + timeoutMs,
  signal,
});

/** Builds a query for the records of each parent. */
const parentsOf = async (reads: CallReads, call: ReadingCall, request: RecordListRequest): Promise<Part[]> => {
  const { parent, parentIds, timeoutMs } = request;
  if (parent === 'device') return parentIds.map((id) => ({ term: { d: id } }));
  const linked = sql`
    select l.application_id as id, array_agg(d.number) as numbers
      from application_device l join device d on d.id = l.device_id
     where l.application_id = any(${parentIds}::uuid[]) group by 1`;
  const rows = (await reads.readWithin(call, linked, timeoutMs)) as { id: string; numbers: number[] }[];
  const numbersOf = new Map(rows.map(({ id, numbers }) => [id, numbers]));
  return parentIds.map((id) => ({ terms: { dn: numbersOf.get(id) ?? [] } }));
};

const inRange = (query: Part, { from, to }: RecordListRequest): Part => ({
  bool: {
    filter: [
      query,
      {
        range: {
          us: {
            ...(from != null && { gte: Math.round(from * 1e6) }),
            ...(to != null && { lte: Math.round(to * 1e6) }),
          },
        },
      },
    ],
  },
});

const inOrder = (query: Part, request: RecordListRequest): Part => {
  const order = request.order === 'newestFirst' ? 'desc' : 'asc';
  return { query: inRange(query, request), sort: [{ us: order }, { seq: order }], track_total_hits: false };
};

/**
 * Finds the beginning of a parent's page. The engine counts no further than {@link maxDocuments} documents, so beyond
 * them this walks through pages.
 */
const startOf = async (
  engine: Engine,
  asked: EngineCall & EngineRange,
  parent: Part,
  request: RecordListRequest,
): Promise<Part> => {
  let after: readonly unknown[] | undefined = request.after;
  let skip = (request.page - 1) * request.limit;
  while (skip + request.limit + 1 > maxDocuments) {
    const size = Math.min(skip, maxDocuments);
    const [{ hits }] = (await engine.search(asked, [
      { ...inOrder(parent, request), size, _source: false, ...(after !== undefined && { search_after: after }) },
    ])) as [WholeAnswer];
    const last = hits.hits.at(-1);
    // The page lies beyond the last record.
    if (last === undefined || hits.hits.length < size) return { query: { match_none: {} } };
    after = last.sort!;
    skip -= size;
  }
  // The engine accepts only one of the two.
  if (after === undefined) return { from: skip };
  if (skip === 0) return { search_after: after };
  const [{ hits }] = (await engine.search(asked, [
    { ...inOrder(parent, request), size: skip, _source: false, search_after: after },
  ])) as [WholeAnswer];
  return hits.hits.length < skip ? { query: { match_none: {} } } : { search_after: hits.hits.at(-1)!.sort! };
};

const recordOf = ({ _id, _source, fields }: EngineHit, { weighRows }: ReadingCall): ListedRecord => {
  const { src } = _source!;
  weighRows(src!.length);
  const { metadata, data, frame } = JSON.parse(src!) as DocumentSource;
  const one = (field: string) => fields![field]?.[0] as string | number | undefined;
  return {
    id: _id,
    ts: Number(one('us')) / 1e6,
    metadata,
    data,
    frame: frame ?? null,
    deviceId: String(one('d')),
    productId: one('p') === undefined ? null : String(one('p')),
    cursorKeys: [String(one('us')), String(one('seq'))],
  };
};
