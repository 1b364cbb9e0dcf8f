import { type Envelope, parseEnvelope, parseMultiSearch, productIds } from '../../../search/envelope.js';
import { timeSlices } from '../../../time-slice.js';
import type { Times } from '../../answer/hit.js';
import { type CallBudget, ResultBudget } from '../../answer/result-budget.js';
import { inTime, stopwatch, timedOutAnswer, whenTurn } from '../../answer/search-call.js';
import { noLook, readScope } from '../../postgres/search/call-scope.js';
import { takeSnapshot } from '../../postgres/search/snapshot.js';
import type { Ask, Search, SearchAnswer, SearchCall } from '../../record-index.js';
import { answerQueries } from './answer.js';
import { type OneQuery, readQuery } from './one-query.js';
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
  // No connection is held while the index catches up.
  await options.engine.fresh(organizationId, signal);
  const snapshot = await inTime(
    whenTurn(takeSnapshot(options, { organizationId, maxConnections: 1, timeoutMs, signal })),
  );
  if (snapshot === 'late') return answered();
  if (!('run' in snapshot)) return { took: took(), responses: queries.map(() => snapshot) };
  try {
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
