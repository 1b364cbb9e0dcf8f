import type { Log } from '#common/log.js';
import type { TracingConfig } from '#config/config.js';
import type { Tracing } from './tracing.js';

/** Opens tracing. The OpenTelemetry packages are loaded only here. */
export async function openTracing(config: TracingConfig, log: Log): Promise<Tracing> {
  const { createTracing } = await import('./open-telemetry.js');
  return createTracing(config, log);
}
