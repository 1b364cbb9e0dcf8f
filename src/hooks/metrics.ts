import { type Aggregator, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import sql, { type Sql } from 'sql-template-tag';
import { waiting } from './claim.js';
import type { Result } from './settle.js';

/** Maximum number of waiting deliveries that are counted, so that a scrape's cost does not grow with them. */
const countUpTo = 100_000;

/** Figures that a scrape reads from the database. */
interface Depth {
  pending: number;
  oldest: number;
  circuits: number;
}

export interface MetricsOptions {
  registry: Registry;
  clock: () => number;
  inFlight(): number;
  /** Runs a query that takes a few milliseconds. */
  read(query: Sql): Promise<object[]>;
}

/** Prometheus metrics of hook delivery. No metric has a label by hook, so the number of series stays bounded. */
export interface Metrics {
  /** Counts results once they are written. */
  observe(results: readonly Result[]): void;
  /** Counts a timeout of a filter's query, or that the query was switched off. */
  countFilter(event: 'timeout' | 'disabled'): void;
}

/** Registers the metrics. */
export function createMetrics({ registry, clock, inFlight, read }: MetricsOptions): Metrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'ddp_hook_attempts_total',
    help: 'Attempts of deliveries by outcome: success, failure (a status that is not 2xx) or the code of the fault.',
    labelNames: ['outcome'],
    registers,
  });
  const ended = new Counter({
    name: 'ddp_hook_deliveries_total',
    help: 'Deliveries that ended, by state.',
    labelNames: ['state'],
    registers,
  });
  const latency = new Histogram({
    name: 'ddp_hook_latency_seconds',
    help: 'Time from storing a delivery to the answer of its first attempt.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
    registers,
  });
  const duration = new Histogram({
    name: 'ddp_hook_call_seconds',
    help: 'Duration of calls.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  });
  const filters = {
    timeout: new Counter({
      name: 'ddp_hook_filter_timeouts_total',
      help: 'Queries of filters that ran out of time; their hooks get the records.',
      registers,
    }),
    disabled: new Counter({
      name: 'ddp_hook_filters_disabled_total',
      help: 'Queries of filters that were switched off because they kept running out of time.',
      registers,
    }),
  };
  // A scrape collects all gauges at once; they share one query.
  let looking: Promise<Depth> | undefined;
  const look = () =>
    (looking ??= read(depthQuery(clock()))
      .then(([depth]) => depth as Depth)
      .finally(() => {
        looking = undefined;
      }));
  const gauge = (
    name: string,
    help: string,
    figure: () => Promise<number> | number,
    aggregator: Aggregator = 'sum',
  ): Gauge =>
    new Gauge({
      aggregator,
      name,
      help,
      registers,
      async collect() {
        this.set(await figure());
      },
    });
  // The database's figures are the same in every worker.
  const shared = 'max';
  gauge('ddp_hook_in_flight', 'Calls of this process under way.', inFlight);
  gauge(
    'ddp_hook_pending',
    `Deliveries that wait, counted up to ${countUpTo}.`,
    async () => (await look()).pending,
    shared,
  );
  const oldest = async () => (await look()).oldest;
  gauge('ddp_hook_oldest_due_seconds', 'Time since the oldest waiting delivery became due.', oldest, shared);
  gauge('ddp_hook_open_circuits', 'Hooks whose circuit is open.', async () => (await look()).circuits, shared);

  return {
    countFilter: (event) => filters[event].inc(),
    observe(results) {
      const outcomes = new Map<string, number>();
      const states = new Map<string, number>();
      for (const { delivery, state, attempt, took, answeredAt } of results) {
        if (state !== 'pending') states.set(state, (states.get(state) ?? 0) + 1);
        if (!attempt) continue;
        outcomes.set(attempt.outcome, (outcomes.get(attempt.outcome) ?? 0) + 1);
        duration.observe(took / 1000);
        if (delivery.attemptsMade === 0) latency.observe(Math.max(0, answeredAt - delivery.queuedAt) / 1000);
      }
      for (const [state, count] of states) ended.inc({ state }, count);
      for (const [outcome, count] of outcomes) attempts.inc({ outcome }, count);
    },
  };
}

const depthQuery = (now: number): Sql => sql`
  with recursive ${waiting}
  select greatest(0, (select count(*) from (select from delivery_open where event = 'record' limit ${countUpTo}) p)
                     - (select count(*) from delivery_lease where not ping))::int pending,
         (select greatest(0, coalesce(max(extract(epoch from ${new Date(now)}::timestamptz - d.next_attempt_at)), 0))::double precision
            from waiting w cross join lateral (
              select next_attempt_at from delivery_open d
               where d.event = 'record' and d.hook_id = w.hook_id
                 and not exists (select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id)
               order by next_attempt_at limit 1) d) oldest,
         (select count(*)::int from hook_state where circuit_until > ${new Date(now)}) circuits`;
