import type { Times } from '#records/answer/hit.js';
import { type CallBudget, ResultBudget } from '#records/answer/result-budget.js';
import { inTime, stopwatch, timedOutAnswer, whenTurn } from '#records/answer/search-call.js';
import type { Ask, Search, SearchAnswer, SearchCall } from '#records/record-index.js';
import { callTimeouts, type SearchConnections, type SnapshotOptions, takeSnapshot } from '#records/scope/snapshot.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { type Envelope, parseEnvelope, parseMultiSearch, productIds } from '#search/envelope.js';
import { Pace } from '#search/pace.js';
import type { CallWork } from './call-work.js';
import { answerQueries } from './engine-answer.js';
import { type OneQuery, readQuery } from './one-query.js';
import type { ClusterSearchOptions } from './option.js';

/** Creates the search over a cluster. */
export const createClusterSearch = (options: ClusterSearchOptions): Pick<Search, 'prepare' | 'prepareMulti'> => {
  const results = new ResultBudget();
  const asking =
    (envelope: Envelope, times: Times): Ask =>
    async (call) => {
      await call.permitted;
      const budget = results.open(call.organizationId);
      try {
        return await answerAll(options, budget, envelope, call, times);
      } finally {
        budget.release();
      }
    };
  return {
    prepare: (ts, queries) => asking(parseEnvelope(ts, queries), 'seconds'),
    prepareMulti: (lines) => asking(parseMultiSearch(lines), 'millis'),
  };
};

const answerAll = async (
  options: ClusterSearchOptions,
  budget: CallBudget,
  { range, queries: given }: Envelope,
  call: SearchCall,
  times: Times,
): Promise<SearchAnswer> => {
  const { clock, timeoutMs } = options;
  const took = stopwatch();
  if (given.length === 0) return { took: took(), responses: [] };
  const { organizationId, signal } = call;
  const now = clock();
  const queries: OneQuery[] = [];
  for (const { input, products } of given) {
    await timeSlices.ifOver(organizationId);
    queries.push(readQuery(input, productIds(products)));
  }
  const answered = () => ({ took: took(), responses: queries.map(({ answer }) => answer ?? timedOutAnswer(took())) });
  // No connection is held while the index catches up.
  await options.engine.fresh(organizationId, signal);
  const deadline = performance.now() + timeoutMs - took();
  const pace = new Pace({ organizationId, signal, deadline });
  const reading = readingOf(options, { organizationId, maxConnections: 1, timeoutMs, signal });
  const work = { options, call, range, times, now, reading, pace, weigh: budget.weigh, took };
  const refused = await inTime(whenTurn(answerQueries(queries, work)));
  if (typeof refused === 'object') for (const query of queries) query.answer ??= refused;
  return answered();
};

/** Takes a snapshot for each reading. All snapshots of a call share the deadline of one call. */
const readingOf = (connections: SearchConnections, options: SnapshotOptions): CallWork['reading'] => {
  const deadline = performance.now() + callTimeouts * options.timeoutMs;
  return async (read) => {
    const snapshot = await takeSnapshot(connections, { ...options, deadline });
    const left: Promise<unknown>[] = [];
    try {
      return await read(snapshot, (underWay) => void (underWay && left.push(underWay)));
    } finally {
      // The answer does not wait until the connection is returned to the pool.
      void Promise.allSettled(left).then(() => snapshot.close());
    }
  };
};
