import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import type { Reader } from '#database/reader.js';
import type { AnsweredRequest } from '#http/request-log.js';
import { Rejection } from '#records/item.js';
import type { Ask, QueryAnswer, RecordIndex } from '#records/record-index.js';
import type { AppendResult, RecordLog } from '#records/record-log.js';

/* Prometheus metrics that a person on call asks for first. Labels come from small fixed sets (route templates,
   codes, kinds, pools), never from tenants, so that their number stays bounded. */

/** Upper bounds of histogram buckets for durations, in seconds. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Registers the metrics of HTTP requests. Returns the function that records a request. */
export function createRequestMetrics(registry: Registry): (request: AnsweredRequest) => void {
  const seconds = new Histogram({
    name: 'ddp_http_request_seconds',
    help: 'Duration of HTTP requests by method, route template and status (aborted: the caller disconnected).',
    labelNames: ['method', 'route', 'status'],
    buckets: durations,
    registers: [registry],
  });
  return ({ method, route, status, seconds: took }) =>
    seconds.observe({ method: methods.has(method) ? method : 'other', route, status: `${status}` }, took);
}

/** Records how many calls and records were committed together. */
type ObserveGroup = (group: { calls: number; records: number }) => void;

/** Registers the metrics of ingestion groups. Returns the function that records a group. */
export function createGroupMetrics(registry: Registry): ObserveGroup {
  const histogram = (name: string, help: string) =>
    new Histogram({
      name,
      help,
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000],
      registers: [registry],
    });
  const calls = histogram('ddp_ingest_group_calls', 'Number of calls per commit.');
  const records = histogram('ddp_ingest_group_records', 'Number of records per commit.');
  return (group) => {
    calls.observe(group.calls);
    records.observe(group.records);
  };
}

/** Wraps the record store with metrics of what it stores. */
export function measureLog(log: RecordLog, registry: Registry): RecordLog {
  const registers = [registry];
  const stored = new Counter({ name: 'ddp_ingest_records_total', help: 'Records that were stored.', registers });
  const duplicates = new Counter({
    name: 'ddp_ingest_duplicates_total',
    help: 'Records that were not stored because they repeat a key.',
    registers,
  });
  const rejected = new Counter({
    name: 'ddp_ingest_rejected_total',
    help: 'Records that were rejected, by code. A refused call of a network server counts once.',
    labelNames: ['code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'ddp_ingest_seconds',
    help: 'Time from taking records of a call to their commit.',
    buckets: durations,
    registers,
  });
  const count = (result: AppendResult) => {
    for (const item of result.results) if (item.status === 'rejected') rejected.inc({ code: item.error.code });
    stored.inc(result.accepted);
    duplicates.inc(result.duplicates);
  };
  return {
    ...log,
    async append(call) {
      const end = seconds.startTimer();
      try {
        const result = await log.append(call);
        if (!result.isRepeated) count(result);
        return result;
      } catch (error) {
        if (error instanceof Rejection) rejected.inc({ code: error.code });
        throw error;
      } finally {
        end();
      }
    },
  };
}

/**
 * Wraps the record index with metrics of its searches.
 * @param waiting returns the number of calls that wait for a slot.
 */
export function measureIndex(index: RecordIndex, registry: Registry, waiting: () => number): RecordIndex {
  const registers = [registry];
  const queries = new Counter({
    name: 'ddp_search_queries_total',
    help: 'Queries of searches by outcome: ok, timeout, busy (too many waited) or refused.',
    labelNames: ['outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'ddp_search_seconds',
    help: 'Duration of search calls, waiting included.',
    buckets: durations,
    registers,
  });
  gauge(registry, 'ddp_search_waiting', 'Search calls that wait in the queue.', waiting);
  const measured =
    (ask: Ask): Ask =>
    async (call) => {
      const end = seconds.startTimer();
      try {
        const answer = await ask(call);
        for (const response of answer.responses) queries.inc({ outcome: outcomeOf(response) });
        return answer;
      } finally {
        end();
      }
    };
  return {
    ...index,
    prepare: (...input) => measured(index.prepare(...input)),
    prepareMulti: (...input) => measured(index.prepareMulti(...input)),
  };
}

const outcomeOf = (answer: QueryAnswer): string => {
  if ('timed_out' in answer) return answer.timed_out ? 'timeout' : 'ok';
  return answer.status === 429 ? 'busy' : 'refused';
};

/** Registers the metric of GraphQL operations. Returns the function that records an operation. */
export function createOperationMetrics(registry: Registry): (kind: string, seconds: number) => void {
  const seconds = new Histogram({
    name: 'ddp_graphql_operation_seconds',
    help: 'Time of GraphQL operations by kind: query, mutation, or invalid where none could be read.',
    labelNames: ['kind'],
    buckets: durations,
    registers: [registry],
  });
  return (kind, took) => seconds.observe({ kind }, took);
}

/** Registers the metric of tools of the endpoint for assistants. Returns the function that records a call. */
export function createToolMetrics(registry: Registry): (tool: string, code: string) => void {
  const calls = new Counter({
    name: 'ddp_mcp_calls_total',
    help: 'Answered calls of tools for assistants, by tool and code of the error, or ok.',
    labelNames: ['tool', 'code'],
    registers: [registry],
  });
  return (tool, code) => calls.inc({ tool, code });
}

/** Registers the metrics of the connection pools, by pool name. */
export function observePools(registry: Registry, pools: Readonly<Record<string, Pool>>): void {
  const each = (name: string, help: string, labelNames: string[], set: (to: Gauge, pool: Pool, name: string) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        for (const [pool, of] of Object.entries(pools)) set(this, of, pool);
      },
    });
  each(
    'ddp_pool_connections',
    'Connections to the database.',
    ['pool', 'state'],
    (to, { totalCount, idleCount }, pool) => {
      to.set({ pool, state: 'in_use' }, totalCount - idleCount);
      to.set({ pool, state: 'idle' }, idleCount);
    },
  );
  each('ddp_pool_waiting', 'Calls that wait for a connection.', ['pool'], (to, { waitingCount }, pool) => {
    to.set({ pool }, waitingCount);
  });
}

/** Registers the metrics of the pipelined connections, by name. */
export function observeReaders(registry: Registry, readers: Readonly<Record<string, Reader>>): void {
  new Gauge({
    name: 'ddp_reader_pending',
    help: 'Statements of a pipelined connection that are not answered yet.',
    labelNames: ['reader'],
    registers: [registry],
    collect() {
      for (const [reader, { figures }] of Object.entries(readers)) this.set({ reader }, figures().pending);
    },
  });
  new Counter({
    name: 'ddp_reader_statements_total',
    help: 'Statements that were sent over a pipelined connection.',
    labelNames: ['reader'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reader, { figures }] of Object.entries(readers)) this.inc({ reader }, figures().sent);
    },
  });
}

/** Resets the metrics that calls have counted so far. */
export const forgetCalls = (registry: Registry): void => {
  for (const { name } of registry.getMetricsAsArray())
    if (/^ddp_(ingest|search|graphql)_/.test(name)) registry.getSingleMetric(name)?.reset();
};

/** Registers the metric of open subscriptions. */
export const observeSubscriptions = (registry: Registry, count: () => number): void =>
  gauge(registry, 'ddp_subscriptions', 'GraphQL subscriptions that are open in this process.', count);

/**
 * Registers prom-client's metrics of the process and its event loop, under the names that dashboards for Node expect.
 * @param worker number of the worker, which becomes a label; undefined: the process serves alone.
 */
export const observeProcess = (registry: Registry, worker: number | undefined): void =>
  collectDefaultMetrics({ register: registry, ...(worker !== undefined && { labels: { worker } }) });

const gauge = (registry: Registry, name: string, help: string, figure: () => number): void => {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(figure());
    },
  });
};
