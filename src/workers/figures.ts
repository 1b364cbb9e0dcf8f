import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import type { Figures } from './message.js';

/** The figures of all workers, those that have ended among them. */
export interface WorkerFigures {
  /** Takes what a worker says of itself. */
  keep(worker: number, figures: Figures): void;
  /** A worker has ended: what it counted stays, so that no counter falls; its gauges go. */
  retire(worker: number): void;
  /** @param leaving workers that others have replaced: figures of their processes are left out */
  render(leaving: ReadonlySet<number>): Promise<string>;
}

/** Adds up figures of workers, each known by a number of its own. */
export function createWorkerFigures(): WorkerFigures {
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

/** What prom-client tells of a process has the label `worker`: each of its values is one worker's. */
const isOfProcess = ({ name }: Metric): boolean => /^(process|nodejs)_/.test(name);

/** The library leaves out the start of a process, and means of lags, where it takes them for one. */
const ofOneProcess = (metric: Metric): Metric => (isOfProcess(metric) ? { ...metric, aggregator: 'first' } : metric);

const withoutProcess = (figures: Figures): Figures => figures.filter((metric) => !isOfProcess(metric));

/** Prom-client names types in figures as in its texts. */
const counts = ({ type }: Metric): boolean => ['counter', 'histogram'].includes(String(type));

/** Values of the same name and labels become one. */
const merge = (all: readonly Figures[]) => AggregatorRegistry.aggregate<PrometheusContentType>([...all]);
