import cluster from 'node:cluster';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Log } from '#common/log.js';
import { type Figures, isToWorker, type Order, type ToPrimary, type ToWorker } from './message.js';

/* A worker: the whole service, at an address where the primary listens. It starts when the primary says so, reports
   when it can serve, and stops when the primary says so. */

enableCompileCache(fileURLToPath(new URL('../../../.compile-cache', import.meta.url)));
const { startService } = await import('../app.js');
const { createLog } = await import('#common/log.js');
const { stopService } = await import('#runtime/stop.js');
const { usualTime } = await import('../warm-up.js');

// This process ends too when the primary is gone.
const tell = (message: ToPrimary): void => void process.send?.(message, undefined, undefined, () => undefined);

let asked = 0;
const listeners = new Set<(message: ToWorker) => void>();
process.on('message', (message) => {
  if (isToWorker(message)) for (const listener of listeners) listener(message);
});

// A terminal sends these signals to all processes. The primary decides what to do.
process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);
const stopped = stopOrder();
const { number, config, connectionString, secretKeys } = await startOrder();
const log = createLog(config.logLevel, undefined, number);
await serve(log).catch((error: unknown) => {
  log.error(error);
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
});
// The primary answers `disconnect` after the last connection that it handed over, so that no connection is lost between
// two processes.
process.once('disconnect', () => process.exit());
cluster.worker!.disconnect();

/** Serves until told to stop, and shuts down in order. */
async function serve(log: Log): Promise<void> {
  const worker = { number, renderMetrics };
  const service = await startService({ config, connectionString, secretKeys, log, worker, warm: usualTime });
  await service.checkReady();
  const figures = () => service.registry.getMetricsAsJSON();
  listeners.add((message) => {
    if (message.kind === 'collect')
      figures().then((all) => tell({ kind: 'figures', id: message.id, figures: all }), log.error);
    // A worker that was told to leave may later be told that the whole service stops.
    if (message.kind === 'stop' && message.all) service.drain();
  });
  tell({ kind: 'ready', url: service.url, mqttUrl: service.mqttUrl });
  if ((await stopped).all) service.drain();
  else void service.leave();
  await stopService(service, config.http.stopDelay, log);
  tell({ kind: 'figures', id: 0, figures: await countedBy(service.registry) });
}

function startOrder(): Promise<Order> {
  return new Promise((resolve) => {
    listeners.add((message) => message.kind === 'start' && resolve(message.order));
    tell({ kind: 'hello' });
  });
}

/**
 * Returns the counters and histograms. Gauges are left out: their values end with the process, and some would query the
 * database.
 */
async function countedBy(registry: Registry): Promise<Figures> {
  const metrics = registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetric(name));
  return Promise.all(
    metrics.filter((metric) => metric instanceof Counter || metric instanceof Histogram).map((metric) => metric.get()),
  );
}

/** Resolves when the primary, or an operator who ends only this worker, orders the stop. */
function stopOrder(): Promise<{ all: boolean }> {
  return new Promise((resolve) => {
    listeners.add((message) => message.kind === 'stop' && resolve(message));
    process.on('SIGTERM', () => resolve({ all: false }));
  });
}

/** Requests the metrics of all workers from the primary. */
function renderMetrics(): Promise<string> {
  const id = ++asked;
  return new Promise((resolve) => {
    const listener = (message: ToWorker) => {
      if (message.kind !== 'metrics' || message.id !== id) return;
      listeners.delete(listener);
      resolve(message.text);
    };
    listeners.add(listener);
    tell({ kind: 'metrics', id });
  });
}
