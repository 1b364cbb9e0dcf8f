import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '#common/log.js';

/**
 * Wraps an exporter so that it logs once when the collector becomes unreachable, and once when it is reachable again.
 */
export function reportFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing) log.warn({ err: result.error }, 'Traces cannot be sent, and are dropped');
        if (!failed && failing) log.info('Traces are sent again');
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
