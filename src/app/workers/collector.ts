import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import type { Member } from './member.js';
import type { Figures } from './message.js';

/** Collects the metrics of all workers. */
export interface Collector {
  /** Receives a worker's answer. */
  take(member: Member, id: number, figures: Figures): void;
  /** Returns the metrics of all workers, including those that have ended, in Prometheus format. */
  render(): Promise<string>;
  retire(member: Member): void;
}

/** Time after which a worker that has not answered counts with its previous metrics, in milliseconds. */
const patience = 2000;

/**
 * Creates the collector.
 * @param members returns the running workers, and those of them that were not replaced.
 */
export function createCollector(members: () => { all: readonly Member[]; serving: ReadonlySet<Member> }): Collector {
  const figures = createWorkerFigures();
  const waiting = new Map<string, () => void>();
  let collected = 0;
  const ask = async (member: Member, id: number) => {
    const key = `${member.id} ${id}`;
    const answered = new Promise<void>((resolve) => waiting.set(key, resolve));
    member.tell({ kind: 'collect', id });
    const over = new AbortController();
    await Promise.race([answered, member.ended, delay(patience, undefined, { signal: over.signal })]);
    over.abort();
    waiting.delete(key);
  };
  return {
    take(member, id, said) {
      figures.keep(member.id, said);
      waiting.get(`${member.id} ${id}`)?.();
    },
    async render() {
      const { all, serving } = members();
      const id = ++collected;
      await Promise.all(all.map((member) => ask(member, id)));
      return figures.render(new Set(all.filter((member) => !serving.has(member)).map((member) => member.id)));
    },
    retire: (member) => figures.retire(member.id),
  };
}

/** Metrics of all workers, including those that have ended. */
interface WorkerFigures {
  /** Stores the metrics of a worker. */
  keep(worker: number, figures: Figures): void;
  /** Removes a worker that has ended. Its counters stay, so that no sum decreases; its gauges are dropped. */
  retire(worker: number): void;
  /**
   * Renders the sums.
   * @param leaving workers that were replaced; the metrics of their processes are left out.
   */
  render(leaving: ReadonlySet<number>): Promise<string>;
}

/** Adds up the metrics of several workers, which are identified by numbers. */
function createWorkerFigures(): WorkerFigures {
  const last = new Map<number, Figures>();
  let retired: Promise<Figures> = Promise.resolve([]);
  return {
    keep: (worker, figures) => void last.set(worker, figures.map(ofOneProcess)),
    retire(worker) {
      const counted = withoutProcess(last.get(worker) ?? []).filter(counts);
      retired = retired.then((before) => merge([before, counted]).getMetricsAsJSON());
      last.delete(worker);
    },
    async render(leaving) {
      const ended = await retired;
      const all = [...last].map(([worker, figures]) => (leaving.has(worker) ? withoutProcess(figures) : figures));
      return merge([...all, ended]).metrics();
    },
  };
}

type Metric = Figures[number];

/**
 * Whether a metric is one of prom-client's own metrics of a process. Such a metric has the label `worker`, so each of
 * its values belongs to one worker.
 */
const isOfProcess = ({ name }: Metric): boolean => /^(process|nodejs)_/.test(name);

/**
 * Keeps the values of a single process unchanged. When aggregating, the library would drop the start time of a process
 * and average lags.
 */
const ofOneProcess = (metric: Metric): Metric => (isOfProcess(metric) ? { ...metric, aggregator: 'first' } : metric);

const withoutProcess = (figures: Figures): Figures => figures.filter((metric) => !isOfProcess(metric));

/** Whether a metric is a counter or a histogram. In JSON, prom-client names the type as in its text format. */
const counts = ({ type }: Metric): boolean => ['counter', 'histogram'].includes(String(type));

/** Adds up values with the same name and labels. */
const merge = (all: readonly Figures[]) => AggregatorRegistry.aggregate<PrometheusContentType>([...all]);
