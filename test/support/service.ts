import { afterAll, beforeAll } from '@jest/globals';
import { type Service, startService } from '../../src/app.js';
import { type Config, readConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import type { ServicesOptions } from '../../src/services.js';
import { useDatabase } from './database.js';
import { recordIndexSettings } from './record-index.js';

/** A running service with a database of its own. */
export interface TestService {
  /** Its origin, from the first `beforeAll` of the file on. */
  readonly url: string;
  /** Where it takes messages of MQTT; undefined where that is off. */
  readonly mqttUrl?: string | undefined;
  /** Address of its database. */
  readonly databaseUrl: string;
}

/** What a test's service differs in. */
export interface TestServiceOptions extends Partial<Omit<ServicesOptions, 'config' | 'connectionString'>> {
  config?: Partial<Config>;
}

/** Starts a service on a free port over a database; the caller closes it. */
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

/** Starts a service on a free port before the tests of the file and stops it after them. */
export function useService(options?: TestServiceOptions): TestService {
  const database = useDatabase();
  let service: Service | undefined;
  beforeAll(async () => {
    service = await startTestService(database.url, options);
  });
  afterAll(() => service?.close());
  return {
    get url() {
      if (service === undefined) throw new Error('The service starts in beforeAll; ask for its address after that.');
      return service.url;
    },
    get mqttUrl() {
      return service?.mqttUrl;
    },
    get databaseUrl() {
      return database.url;
    },
  };
}
