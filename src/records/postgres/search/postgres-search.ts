import { DatabaseError } from 'pg';
import { timedOut } from '#common/errors.js';
import type { Times } from '#records/answer/hit.js';
import { type CallBudget, ResultBudget } from '#records/answer/result-budget.js';
import { inTime, parseSearch, shards, stopwatch, timedOutAnswer, whenTurn } from '#records/answer/search-call.js';
import type { Ask, FieldType, Found, QueryAnswer, Search, SearchAnswer, SearchCall } from '#records/record-index.js';
import { earlyLook, noLook, onlyDevices, readScope } from '#records/scope/call-scope.js';
import { onServer, type SearchConnections, takeSnapshot } from '#records/scope/snapshot.js';
import { isTooLarge } from '#records/scope/snapshot-reader.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { type Envelope, parseEnvelope, parseMultiSearch, productIds } from '#search/envelope.js';
import type { Fields } from '#search/field/field.js';
import { namesFields, reservedOnly } from '#search/names-fields.js';
import { TimedOut } from '#search/pace.js';
import type { SearchRequest } from '#search/request.js';
import { illegalArgument, SearchFailure } from '#search/search-failure.js';
import { findAlone } from './blocks/find-alone.js';
import { findBlocks } from './blocks/find-blocks.js';
import { execute } from './execute.js';
import { planOf } from './postgres-plan.js';
import { loadFields, loadNames } from './sql/load-fields.js';
import { notesOf } from './stale-notes.js';
import { StatementNames } from './statement-names.js';

/** Settings and dependencies of the search. */
export interface SearchOptions extends SearchConnections {
  /** Returns milliseconds since 1970. */
  clock: () => number;
  /** Maximum duration of one query in milliseconds; a query may ask for less. */
  timeoutMs: number;
  /** Whether blocks are read where possible; false by default. */
  blocks?: boolean;
  /** Whether hourly rollups are used where possible; true by default. */
  rollups?: boolean;
}

/** Maximum number of connections per call. */
const maxConnections = 4;

/** Creates the search over a pool. */
export const createSearch = (given: SearchOptions): Search => {
  const options: SearchOptions = { ...given, statements: new StatementNames() };
  const results = new ResultBudget();
  const asking =
    (envelope: Envelope, times: Times): Ask =>
    (call) =>
      onServer(options, call.position, async (server) => {
        // Each server has a budget of its own, because the primary repeats what a standby fails to answer.
        const budget = results.open(call.organizationId);
        try {
          return await answerAll(server, budget, envelope, call, times);
        } finally {
          budget.release();
        }
      });
  return {
    prepare: (ts, queries) => asking(parseEnvelope(ts, queries), 'seconds'),
    prepareMulti: (lines) => asking(parseMultiSearch(lines), 'millis'),
    fields: async (call) => {
      try {
        return await onServer(options, call.position, (server) => fieldTypesOf(server, call));
      } catch (error) {
        throw error instanceof TimedOut ? timedOut(options.timeoutMs) : error;
      }
    },
  };
};

/**
 * Returns the fields of an application, with the OpenSearch names of their types. The types are those of the
 * organization.
 */
const fieldTypesOf = async (
  options: SearchOptions,
  { organizationId, applicationId, signal }: SearchCall,
): Promise<FieldType[]> => {
  const { timeoutMs } = options;
  const snapshot = await takeSnapshot(options, { organizationId, maxConnections: 1, timeoutMs, signal });
  try {
    const scope = { organizationId, applicationId, productIds: [] };
    const [fields, names] = await snapshot.run(timeoutMs, ({ rows }) =>
      Promise.all([loadFields(rows, scope), loadNames(rows, scope)]),
    );
    return fields.paths().flatMap((path) => {
      const field = undisputed(fields, path);
      if (field === undefined || (field.origin.kind !== 'reserved' && !names.has(path))) return [];
      return [{ path, type: field.kind }];
    });
  } finally {
    await snapshot.close();
  }
};

/** Returns a field; undefined if products disagree on its type. */
const undisputed = (fields: Fields, path: string) => {
  try {
    return fields.find(path);
  } catch (error) {
    if (error instanceof SearchFailure) return undefined;
    throw error;
  }
};

const answerAll = async (
  options: SearchOptions,
  budget: CallBudget,
  { range, queries }: Envelope,
  call: SearchCall,
  times: Times,
): Promise<SearchAnswer> => {
  const { clock, timeoutMs, rollups = true } = options;
  const took = stopwatch();
  if (queries.length === 0) return { took: took(), responses: [] };
  const { organizationId, signal } = call;
  const notes = notesOf({ organizationId, ...(options.blocks && { days: range }) });
  const blocks = findBlocks({ organizationId, applicationId: call.applicationId, range }, notes);
  const aloneOf = findAlone(blocks, range);
  const now = clock();
  const requests: { parsed: SearchRequest | SearchFailure; ids: readonly string[] }[] = [];
  for (const { input, products } of queries) {
    await timeSlices.ifOver(organizationId);
    requests.push({ parsed: parseSearch(input), ids: productIds(products) });
  }
  const maxShared = Math.min(maxConnections, queries.length);
  const snapshot = await inTime(
    whenTurn(takeSnapshot(options, { organizationId, maxConnections: maxShared, timeoutMs, signal })),
  );
  if (snapshot === 'late') return { took: took(), responses: queries.map(() => timedOutAnswer(took())) };
  if (!('run' in snapshot)) return { took: took(), responses: queries.map(() => snapshot) };
  try {
    const good = requests.flatMap(({ parsed: request }) => (request instanceof SearchFailure ? [] : [request]));
    const early = rollups ? earlyLook(good) : noLook;
    const naming = requests.find(({ parsed: request }) => !(request instanceof SearchFailure) && namesFields(request));
    const looked = { productIds: naming?.ids, named: onlyDevices(good), early, notes, range, timeoutMs };
    const [scope] = await Promise.all([inTime(readScope(snapshot, { ...call, ...looked })), call.permitted]);
    if (scope === 'late') return { took: took(), responses: queries.map(() => timedOutAnswer(took())) };
    const answers = requests.map(({ parsed: request, ids }) =>
      answered(() => {
        if (request instanceof SearchFailure) throw request;
        const read = (withRollups: boolean) =>
          snapshot.run(Math.min(timeoutMs, request.timeoutMs ?? timeoutMs), async (reader) => {
            const fields = namesFields(request) ? await scope.fields(ids, reader.rows) : reservedOnly;
            const bounds = {
              organizationId,
              deviceIds: scope.deviceIds,
              productIds: ids,
              from: range.from,
              to: range.to,
            };
            await reader.pace.begin();
            const alone = scope.hasAlone ? await aloneOf(reader.rows, ids) : undefined;
            const within = alone ? { ...bounds, alone } : bounds;
            const plan = planOf(request, { scope: within, range, fields, now });
            return execute(plan, {
              reader,
              weigh: budget.weigh,
              times,
              ...(withRollups && { sources: scope.sources }),
              ...(options.blocks && { blocks }),
            });
          });
        return read(rollups).catch((error: unknown) => {
          if (isTooLarge(error) && rollups) return read(false);
          throw error;
        });
      }),
    );
    // Every query settles before the snapshot closes, even if one fails with an unexpected error.
    const settled = await Promise.allSettled(answers);
    const responses = settled.map((answer) => {
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value;
    });
    return { took: took(), responses };
  } finally {
    // The answer does not wait until the connections are returned to the pool.
    void snapshot.close();
  }
};

/** Returns the result of a query, or the error that the query itself caused. */
const answered = async (work: () => Promise<Found>): Promise<QueryAnswer> => {
  const took = stopwatch();
  try {
    const found = await work();
    return { took: took(), timed_out: false, status: 200, _shards: shards, ...found };
  } catch (error) {
    if (error instanceof SearchFailure) return error.toAnswer();
    if (isOfValue(error)) return illegalArgument(reasonOf(error)).toAnswer();
    if (!(error instanceof TimedOut)) throw error;
    return timedOutAnswer(took());
  }
};

/** Whether PostgreSQL rejected a value of the query (SQLSTATE class 22) that passed validation. */
const isOfValue = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.code?.startsWith('22') === true;

/** Reasons by SQLSTATE. A caller never sees PostgreSQL's own words. */
const reasons: Readonly<Record<string, string>> = {
  '22003': 'A number that the query computes is out of range',
  '22008': 'A time that the query computes is out of range',
  '2201B': 'A regular expression of the query cannot be evaluated',
};

const reasonOf = ({ code = '' }: DatabaseError): string =>
  reasons[code] ?? 'A value of the query cannot be compared with the records';
