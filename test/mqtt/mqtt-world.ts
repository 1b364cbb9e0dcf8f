import { beforeAll } from '@jest/globals';
import mqtt, { type IClientOptions, type MqttClient, type Packet } from 'mqtt';
import { readConfig } from '#config/config.js';
import { TokenScope } from '#entities/enums.js';
import type { Client } from '../support/client.js';
import { type TestService, useService } from '../support/service.js';
import { type TestServiceOptions } from '../support/start-service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

/** Configuration of a service with MQTT; the given `http` and `mqtt` settings override the defaults. */
export const mqttConfig = (settings: Record<string, string> = {}) => {
  const { http, mqtt, ingestRateLimit, rateLimit } = readConfig({ MQTT_PORT: '0', RATE_LIMIT: '0', ...settings });
  return { http, mqtt, ingestRateLimit, rateLimit };
};

/** A service with MQTT, an organization, a device, and a token of each kind. */
export interface MqttWorld {
  readonly service: TestService;
  readonly url: string;
  readonly tenant: Tenant;
  readonly owner: Client;
  /** Id of the device `ab-01`. */
  readonly deviceId: string;
  /** A token of the organization, and a token of the device. */
  readonly ingestToken: string;
  readonly deviceToken: string;
  /** The newest record of the device. */
  lastRecord(deviceId?: string): Promise<StoredRecord | undefined>;
}

/** A record as lists return it. */
export interface StoredRecord {
  ts: number;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** Provides a service before the tests of the file: its own when settings or options are given, else the shared one. */
export function useMqtt(settings?: Record<string, string>, options?: TestServiceOptions): MqttWorld {
  const isOwn = settings !== undefined || options !== undefined;
  const service = useService(
    isOwn ? { ...options, config: { ...mqttConfig(settings), ...options?.config } } : undefined,
  );
  let tenant: Tenant;
  let deviceId: string;
  let ingestToken: string;
  let deviceToken: string;
  beforeAll(async () => {
    tenant = await createTenant(service);
    deviceId = await makeDevice(tenant, 'ab-01');
    ingestToken = (await tenant.client({ scope: TokenScope.ingest })).token!;
    deviceToken = await makeDeviceToken(tenant, deviceId);
  });
  return {
    service,
    get url() {
      return service.mqttUrl!;
    },
    get tenant() {
      return tenant;
    },
    get owner() {
      return tenant.owner;
    },
    get deviceId() {
      return deviceId;
    },
    get ingestToken() {
      return ingestToken;
    },
    get deviceToken() {
      return deviceToken;
    },
    lastRecord: async (id = deviceId) => (await recordsOf(tenant, id)).at(0),
  };
}

/** All records of a device, newest first. */
export async function recordsOf({ id, owner }: Tenant, deviceId: string): Promise<StoredRecord[]> {
  const query = `query ($id: ID!, $deviceId: ID!, $after: String) {
    device(organizationId: $id, deviceId: $deviceId) { records(limit: 1000, after: $after) { hasMore endCursor items { ts data metadata } } } }`;
  const records: StoredRecord[] = [];
  for (let after: string | null = null; ; ) {
    const response = await fetch(new URL('/graphql', owner.base), {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { id, deviceId, after } }),
    });
    const { data } = (await response.json()) as { data: { device: { records: RecordsPage } } };
    const { items, hasMore, endCursor } = data.device.records;
    records.push(...items);
    if (!hasMore) return records;
    after = endCursor;
  }
}

interface RecordsPage {
  hasMore: boolean;
  endCursor: string | null;
  items: StoredRecord[];
}

/** Registers a device and returns its id. */
export const makeDevice = async (tenant: Tenant, serial: string, product?: { id: string }): Promise<string> =>
  (
    await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/devices/${serial}`, {
      ...(product && { product }),
    })
  ).body.id;

/** Creates a token of a device. */
export const makeDeviceToken = async (tenant: Tenant, deviceId: string): Promise<string> =>
  (await tenant.owner.post<{ token: string }>(`/devices/${tenant.id}/${deviceId}/tokens`, {})).body.token;

/**
 * Connects with the most common client library; rejects when the connection is refused. It does not reconnect: messages
 * in flight fail when the connection ends.
 */
export const connect = async (url: string, options: IClientOptions): Promise<MqttClient> => {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, connectTimeout: 60_000, ...options });
  client.on('error', () => undefined);
  return client.on('close', () => client.end(true));
};

/** Resolves with the next packet of a kind that a client receives. */
export const packetOf = <Cmd extends Packet['cmd']>(
  client: MqttClient,
  cmd: Cmd,
): Promise<Extract<Packet, { cmd: Cmd }>> =>
  new Promise((resolve) => {
    const take = (packet: Packet) => {
      if (packet.cmd !== cmd) return;
      client.removeListener('packetreceive', take);
      resolve(packet as Extract<Packet, { cmd: Cmd }>);
    };
    client.on('packetreceive', take);
  });

/** Resolves when a client's connection has ended. */
export const gone = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => (client.connected ? client.once('close', () => resolve()) : resolve()));
