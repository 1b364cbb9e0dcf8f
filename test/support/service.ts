import { afterAll, beforeAll } from '@jest/globals';
import type { Service } from '#app/app.js';
import { endPoolsOf } from './connection.js';
import { useDatabase } from './database.js';
import { testRecordPlace } from './record-index.js';
import type { StartedService } from './shared-service.js';
import type { TestServiceOptions } from './start-service.js';

/** A running service that a test file calls. */
export interface TestService {
  /** Origin of the service, available from the first `beforeAll` of the file. */
  readonly url: string;
  /** Address of its MQTT endpoint; undefined when MQTT is off. */
  readonly mqttUrl?: string | undefined;
  /** Address of its database. */
  readonly databaseUrl: string;
}

/**
 * Gives the test file a service before its tests.
 * Without options, the files of a worker share the service. It has an MQTT endpoint, and its hooks may call loopback
 * addresses. Create organizations of your own there, and assert nothing about all data or all requests.
 * With options, `{}` included, the file has a service and a database of its own, which stop after the tests.
 */
export const useService = (options?: TestServiceOptions): TestService =>
  options === undefined ? useSharedService() : useOwnService(options);

function useSharedService(): TestService {
  let service: StartedService | undefined;
  beforeAll(async () => {
    const query = new URLSearchParams({ worker: process.env['JEST_WORKER_ID']!, place: testRecordPlace() });
    const response = await fetch(`${process.env['DDP_TEST_SHARED']}/service?${query}`);
    if (!response.ok) throw new Error(await response.text());
    service = (await response.json()) as StartedService;
  });
  return {
    get url() {
      return running(service).url;
    },
    get mqttUrl() {
      return running(service).mqttUrl;
    },
    get databaseUrl() {
      return running(service).databaseUrl;
    },
  };
}

function useOwnService(options: TestServiceOptions): TestService {
  const database = useDatabase();
  let service: Service | undefined;
  beforeAll(async () => {
    // Only files that start a service load this module.
    const { startTestService } = await import('./start-service.js');
    service = await startTestService(database.url, options);
  });
  afterAll(async () => {
    await service?.close();
    await endPoolsOf(database.url);
  });
  return {
    get url() {
      return running(service).url;
    },
    get mqttUrl() {
      return service?.mqttUrl;
    },
    get databaseUrl() {
      return database.url;
    },
  };
}

function running<Started>(service: Started | undefined): Started {
  if (service === undefined) throw new Error('The service starts in beforeAll; ask for its address after that.');
  return service;
}
