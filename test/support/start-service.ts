import { type Service, startService } from '#app/app.js';
import type { ServicesOptions } from '#app/services.js';
import { createLog } from '#common/log.js';
import { type Config, readConfig } from '#config/config.js';
import { recordIndexSettings } from './record-index.js';

/** Options of a test's service that differ from the defaults. */
export interface TestServiceOptions extends Partial<Omit<ServicesOptions, 'config' | 'connectionString'>> {
  config?: Partial<Config>;
}

/** Starts a service on a free port over a database. The caller closes it. */
export const startTestService = (
  databaseUrl: string,
  { config, ...options }: TestServiceOptions = {},
): Promise<Service> =>
  startService({
    config: { ...readConfig({ PORT: '0', RATE_LIMIT: '0', ...recordIndexSettings(databaseUrl) }), ...config },
    connectionString: databaseUrl,
    secretKeys: ['a key for tests'],
    log: createLog('fatal'),
    ...options,
  });
