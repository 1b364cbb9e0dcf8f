import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import sql, { type Sql } from 'sql-template-tag';

/** Maximum number of open episodes that are counted, so that a scrape's cost does not grow with them. */
const countUpTo = 100_000;

export interface MetricsOptions {
  registry: Registry;
  /** Runs a query that takes a few milliseconds. */
  read(query: Sql): Promise<object[]>;
}

/** Prometheus metrics of alerts. No metric has a label by rule, so the number of series stays bounded. */
export interface Metrics {
  /** Counts episodes that opened or closed in a committed transaction. */
  countTransitions(kind: 'opened' | 'closed', count: number): void;
  /** Counts a timeout of a rule's query, or that the rule was switched off. */
  countQuery(event: 'timeout' | 'disabled'): void;
  /** Notes the duration of a poll, in seconds. */
  observePoll(seconds: number): void;
}

/** Registers the metrics. */
export function createMetrics({ registry, read }: MetricsOptions): Metrics {
  const registers = [registry];
  const transitions = new Counter({
    name: 'ddp_alert_episodes_total',
    help: 'Openings and closings of episodes, by records or by silence.',
    labelNames: ['change'],
    registers,
  });
  const queries = {
    timeout: new Counter({
      name: 'ddp_alert_query_timeouts_total',
      help: 'Queries of alert rules that ran out of time; their records are decided later.',
      registers,
    }),
    disabled: new Counter({
      name: 'ddp_alert_rules_disabled_total',
      help: 'Alert rules that were switched off because their query kept running out of time.',
      registers,
    }),
  };
  const polls = new Histogram({
    name: 'ddp_alert_poll_seconds',
    help: 'Duration of a poll for due silences and for closings to report to hooks.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  });
  new Gauge({
    // Every worker reads the same number from the database.
    aggregator: 'max',
    name: 'ddp_alert_open_episodes',
    help: `Open episodes, counted up to ${countUpTo}.`,
    registers,
    async collect() {
      const [counted] = (await read(openEpisodes)) as { open: number }[];
      this.set(counted!.open);
    },
  });
  new Gauge({
    aggregator: 'max',
    name: 'ddp_alert_undecided_records',
    help: `Records that alert rules have yet to decide, counted up to ${countUpTo}.`,
    registers,
    async collect() {
      const [counted] = (await read(undecidedRecords)) as { undecided: number }[];
      this.set(counted!.undecided);
    },
  });
  return {
    countTransitions: (kind, count) => transitions.inc({ change: kind }, count),
    countQuery: (event) => queries[event].inc(),
    observePoll: (seconds) => polls.observe(seconds),
  };
}

const openEpisodes = sql`
  select count(*)::int open from (select from episode where closed_at is null limit ${countUpTo}) counted`;

const undecidedRecords = sql`
  select count(*)::int undecided from (select from alert_undecided limit ${countUpTo}) counted`;
