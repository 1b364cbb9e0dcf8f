import { ApiError } from '../../../errors.js';
import { type Envelope, parseEnvelope, parseMultiSearch, productIds } from '../../../search/envelope.js';
import { type ErrorAnswer, rejected } from '../../../search/failure.js';
import { TimedOut } from '../../../search/pace.js';
import { timeSlices } from '../../../time-slice.js';
import type { Times } from '../../answer/hit.js';
import { type CallBudget, ResultBudget } from '../../answer/result-budget.js';
import { noLook, readScope } from '../../postgres/search/call-scope.js';
import { type Snapshot, takeSnapshot } from '../../postgres/search/snapshot.js';
import type { Ask, Search, SearchAnswer, SearchCall } from '../../record-index.js';
import { answerQueries } from './answer.js';
import { type OneQuery, readQuery, timedOutAnswer } from './one-query.js';
import type { ClusterSearchOptions } from './option.js';

/** Opens the search over a cluster. */
export const createClusterSearch = (options: ClusterSearchOptions): Pick<Search, 'prepare' | 'prepareMulti'> => {
  const results = new ResultBudget();
  const asking =
    (envelope: Envelope, times: Times): Ask =>
    async (call) => {
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
  const snapshot = await inTime(
    whenTurn(takeSnapshot(options, { organizationId, maxConnections: 1, timeoutMs, signal })),
  );
  if (snapshot === 'late') return answered();
  if (!('run' in snapshot)) return { took: took(), responses: queries.map(() => snapshot) };
  try {
    await options.fresh(organizationId, signal);
    const asked = { ...call, productIds: queries[0]!.productIds, early: noLook, timeoutMs };
    const scope = await inTime(readScope(snapshot, asked));
    if (scope === 'late') return answered();
    const work = { options, call, range, times, now, scope, weigh: budget.weigh, took };
    await inTime(snapshot.run(timeoutMs, (reader) => answerQueries(queries, { ...work, reader })));
    return answered();
  } finally {
    // The answer does not wait until the connection is back.
    void snapshot.close();
  }
};

/** A snapshot, or what each query of the call answers where too many wait for their turn. */
const whenTurn = async (taken: Promise<Snapshot>): Promise<Snapshot | ErrorAnswer> => {
  try {
    return await taken;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return rejected(error.message).toAnswer();
    throw error;
  }
};

/** What comes, or `late` where the time of the call is over first. */
const inTime = async <T>(coming: Promise<T>): Promise<T | 'late'> => {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof TimedOut) return 'late';
    throw error;
  }
};

/** Milliseconds from now on. */
const stopwatch = () => {
  const started = performance.now();
  return () => Math.round(performance.now() - started);
};
