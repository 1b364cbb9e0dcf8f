import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import sql, { type Sql } from 'sql-template-tag';

/** Open episodes are counted up to this number: a scrape costs the same however many there are. */
const countUpTo = 100_000;

/** Settings of the metrics. */
export interface MetricsOptions {
  registry: Registry;
  /** Runs a query of a few milliseconds. */
  read(query: Sql): Promise<object[]>;
}

/** Figures of alerts for Prometheus. None has a label for each rule, so that their number stays bounded. */
export interface Metrics {
  /** Counts episodes that opened or closed in a committed transaction. */
  countTransitions(kind: 'opened' | 'closed', count: number): void;
  /** Counts a query of a rule that ran out of time, or a rule that was switched off for it. */
  countQuery(event: 'timeout' | 'disabled'): void;
  /** Notes the duration of a poll, in seconds. */
  observePoll(seconds: number): void;
}

/** Registers the figures. */
export function createMetrics({ registry, read }: MetricsOptions): Metrics {
  const registers = [registry];
  const transitions = new Counter({
    name: 'ddp_alert_episodes_total',
    help: 'Episodes that opened or closed by records or by silence.',
    labelNames: ['change'],
    registers,
  });
  const queries = {
    timeout: new Counter({
      name: 'ddp_alert_query_timeouts_total',
      help: 'Queries of alert rules that ran out of time; their states stay as they were.',
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
    help: 'Duration of a poll for silences that are due and closings that hooks are to hear of.',
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
  return {
    countTransitions: (kind, count) => transitions.inc({ change: kind }, count),
    countQuery: (event) => queries[event].inc(),
    observePoll: (seconds) => polls.observe(seconds),
  };
}

const openEpisodes = sql`
  select count(*)::int open from (select from episode where closed_at is null limit ${countUpTo}) counted`;
