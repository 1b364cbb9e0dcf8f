import { dayMs } from '#common/time.js';
import type { Hit, RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs } from '#schema/export.args.js';
import { cursorText, type ExportPosition, markOf, type RecordCursor, readCursor } from './cursor.js';
import { type ExportedPage, patiently, readPage } from './page.js';
import type { ExportRow } from './table.js';

/** Sources of records. */
export interface RecordSource {
  readonly index: Pick<RecordIndex, 'prepare' | 'list' | 'horizon'>;
  readonly ctx: Context;
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
}

/** Maximum number of records of a page, and its approximate size in bytes. */
const mostRecords = 4000;
const pageBytes = 4 * 2 ** 20;
const firstSize = 200;
/** Width of the first time range, and the minimum width, in microseconds. */
const firstWidth = 3600e6;
const leastWidth = 1e6;
/** Duration of a page above which the next one does not get larger, in milliseconds. */
const slow = 1000;
/** Sequence number after all records of one instant. */
const lastOfInstant = '9223372036854775807';
const listTimeout = 10_000;
/** Upper end of the time range beyond now, in milliseconds. Records are at most a day ahead. */
const ahead = 3 * dayMs;

/**
 * Reads the records of an export page by page, by time and then by the order of storing. Nothing stays open between two
 * pages: no transaction, no connection, no context of the cluster. The export includes the records whose sequence
 * numbers were assigned when it began. So records stored meanwhile are left out, and a cursor resumes with the same
 * records.
 *
 * Pages are cut by time ranges: no index has the records of many devices in order of time, so a page of an open range
 * would sort everything that follows. The width of a range follows from the number of records in the last one.
 */
export async function* recordPages(source: RecordSource, args: ExportArgs): AsyncGenerator<ExportRow[], void> {
  const { index, ctx, clock } = source;
  const { signal } = ctx;
  const mark = markOf(args);
  const given = args.after == null ? undefined : readCursor(args.after, mark);
  const horizon = given?.horizon ?? (await index.horizon(ctx));
  const end = Math.min(microsOf(args.to ?? Number.POSITIVE_INFINITY), (clock() + ahead) * 1000);
  let after: ExportPosition = given?.after ?? { micros: microsOf(args.from ?? 0) - 1, seq: lastOfInstant };
  let width = firstWidth;
  let size = firstSize;
  let hasBegun = false;
  const next = async (): Promise<boolean> => {
    const micros = await nextTime(source, args, after.micros + 1, end);
    if (micros !== undefined) after = { micros: micros - 1, seq: lastOfInstant };
    return micros !== undefined;
  };
  if (given === undefined && !(await next())) {
    // A wrong query is refused even if there are no records.
    await readPage(index, { args, after, until: after.micros + 1, horizon, size: 1 }, ctx);
    return;
  }
  for (;;) {
    const until = Math.min(end, after.micros + width);
    const read = () => readPage(index, { args, after, until, horizon, size }, ctx);
    const begun = performance.now();
    const page: ExportedPage = hasBegun ? await patiently(read, signal) : await read();
    if (page === 'smaller') {
      size = Math.ceil(size / 8);
      width = Math.max(leastWidth, width / 16);
      continue;
    }
    hasBegun = true;
    const from = after.micros;
    const isFull = page.length === size;
    after = isFull ? positionOf(page.at(-1)!) : { micros: until, seq: lastOfInstant };
    if (page.length > 0) yield page.map((hit) => rowOf(hit, mark, horizon));
    if (!isFull && until >= end) return;
    if (page.length === 0 && !(await patiently(next, signal))) return;
    const isQuick = performance.now() - begun < slow;
    width = Math.max(
      leastWidth,
      isFull ? after.micros - from : isQuick ? width * growth(page.length, size) : width / 2,
    );
    size = Math.min(sizeOf(page), isQuick ? size * 4 : size);
  }
}

/** Returns the factor by which the next range widens: up to eight for a range with few records. */
const growth = (found: number, size: number) => Math.min(8, Math.max(1, (0.7 * size) / Math.max(1, found)));

/** Returns the maximum number of records of the next page, from the size of some records of this one. */
const sizeOf = (page: readonly Hit[]): number => {
  const some = page.slice(0, 10);
  if (some.length === 0) return mostRecords;
  const bytes = JSON.stringify(some).length / some.length;
  return Math.max(1, Math.min(mostRecords, Math.floor(pageBytes / bytes)));
};

/** Returns the time of the application's first record from a time on, in microseconds; undefined without one. */
const nextTime = async (
  { index, ctx }: RecordSource,
  { applicationId }: ExportArgs,
  from: number,
  to: number,
): Promise<number | undefined> => {
  if (from > to) return undefined;
  const [page] = await index.list(ctx, {
    parent: 'application',
    parentIds: [applicationId],
    order: 'oldestFirst',
    from: from / 1e6,
    to: to / 1e6,
    limit: 1,
    page: 1,
    timeoutMs: listTimeout,
  });
  const [first] = page!.records;
  return first === undefined ? undefined : Math.max(from, Number(first.cursorKeys[0]));
};

const microsOf = (seconds: number): number => Math.round(seconds * 1e6);

const positionOf = ({ sort }: Hit): ExportPosition => {
  const [ts, seq] = sort as [number, number | string];
  return { micros: microsOf(ts), seq: `${seq}` };
};

const rowOf = (hit: Hit, mark: string, horizon: RecordCursor['horizon']): ExportRow => ({
  id: hit._id,
  ...hit._source,
  cursor: cursorText(mark, { horizon, after: positionOf(hit) }),
});
