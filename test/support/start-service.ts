import { type Service, startService } from '#app/app.js';
import type { ServicesOptions } from '#app/services.js';
import { createLog } from '#common/log.js';
import { type Config, readConfig } from '#config/config.js';
import { recordIndexSettings, testsFrozen } from './record-index.js';

/** Options of a test's service that differ from the defaults. */
export interface TestServiceOptions extends Partial<Omit<ServicesOptions, 'config' | 'connectionString'>> {
  config?: Partial<Config>;
}

/** Starts a service on a free port over a database. The caller closes it. */
export const startTestService = async (
  databaseUrl: string,
  { config, ...options }: TestServiceOptions = {},
): Promise<Service> => {
  const service = await startService({
    config: { ...readConfig({ PORT: '0', RATE_LIMIT: '0', ...recordIndexSettings(databaseUrl) }), ...config },
    connectionString: databaseUrl,
    secretKeys: ['a key for tests'],
    log: createLog('fatal'),
    ...options,
  });
  if (!testsFrozen()) return service;
  const { startFreezer } = await import('./freezer.js');
  const freezer = startFreezer(databaseUrl);
  return {
    ...service,
    async close() {
      await freezer.close();
      await service.close();
    },
  };
};
