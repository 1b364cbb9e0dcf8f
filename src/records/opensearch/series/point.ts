import { createLttb } from '#records/answer/lttb.js';
import { type Columns, type Drawn, lineKey, requireFewValues } from '#records/answer/series-answer.js';
import type { UnixRange } from '#records/series-interval.js';
import type { Engine, EngineCall, EngineRange, Part, WholeAnswer } from '../engine.js';
import { withinMicros } from './bucket.js';
import { byDevice, type SourcedPair } from './source.js';

/** Maximum number of values of one request; the engine returns no more. */
const pageSize = 10_000;

/** Reads lines of measured points. It counts them first, because their number determines which ones are kept. */
export const downsample = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  pairs: readonly SourcedPair[],
  { range, points }: { range: UnixRange; points: number },
): Promise<Drawn> => {
  const lines = byDevice(pairs).flatMap(([, ofDevice]) => ofDevice);
  const counts = await engine.search(
    call,
    lines.map((line) => ({ size: 0, track_total_hits: true, query: valuesOf(line, range) })),
  );
  const counted = counts.map(({ hits }) => hits.total?.value ?? 0);
  requireFewValues(counted.reduce((total, count) => total + count, 0));
  const drawn = new Map<string, Columns>();
  // Answers of many lines at once would fill the memory.
  for (const [index, line] of lines.entries()) {
    if (counted[index] === 0) continue;
    const drawing = createLttb(counted[index]!, points);
    await readValues(engine, call, line, range, (ts, value) => drawing.push(ts, value as number));
    drawn.set(lineKey(line), drawing.end());
  }
  return drawn;
};

/** Builds the query of a device's documents with a value of a line. */
const valuesOf = ({ deviceId, sources }: SourcedPair, range: UnixRange): Part => ({
  bool: {
    filter: [{ term: { d: deviceId } }, withinMicros(range)],
    minimum_should_match: 1,
    should: sources.map(({ filter, mustNot }) => ({ bool: { filter, must_not: mustNot } })),
  },
});

type Push = (ts: number, value: unknown, field: string) => void;

/** Reads the last value of a line before a time in Unix seconds, if there is one. */
export const readNewest = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  line: SourcedPair,
  before: number,
  push: Push,
): Promise<void> => {
  const query = { bool: { filter: [valuesOf(line, { from: 0, to: before - 1e-6 })] } };
  const sort = [{ us: 'desc' }, { seq: 'desc' }];
  const [{ hits }] = (await engine.search(call, [{ ...pageOf(line), size: 1, query, sort }])) as [WholeAnswer];
  pushHits(hits.hits, push);
};

const pageOf = ({ sources }: SourcedPair): Part => ({
  track_total_hits: false,
  stored_fields: '_none_',
  docvalue_fields: sources.map(({ field }) => field),
});

const pushHits = (hits: WholeAnswer['hits']['hits'], push: Push): void => {
  for (const { sort, fields } of hits) {
    const [field, values] = Object.entries(fields!)[0]!;
    push(Number(sort![0]) / 1e6, values[0], field);
  }
};

/** Reads the values of a line one by one, in order of time, with the field that holds each. */
export const readValues = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  line: SourcedPair,
  range: UnixRange,
  push: Push,
): Promise<void> => {
  for (let after: readonly unknown[] | undefined; ; ) {
    const [{ hits }] = (await engine.search(call, [
      {
        ...pageOf(line),
        size: pageSize,
        query: valuesOf(line, range),
        sort: [{ us: 'asc' }, { seq: 'asc' }],
        ...(after !== undefined && { search_after: after }),
      },
    ])) as [WholeAnswer];
    pushHits(hits.hits, push);
    if (hits.hits.length < pageSize) return;
    after = hits.hits.at(-1)!.sort!;
  }
};
