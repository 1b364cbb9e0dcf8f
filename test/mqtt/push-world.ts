import type { MqttClient } from 'mqtt';
import { until } from '../support/until.js';
import { connect, type MqttWorld, makeDevice, makeDeviceToken } from './mqtt-world.js';

/** A message that a client received. */
export interface Received {
  topic: string;
  body: unknown;
  qos: number;
  dup: boolean;
}

/** A client that keeps what it receives. */
export interface Listener {
  readonly client: MqttClient;
  readonly received: Received[];
  /** Resolves with the message at a place, once it came. */
  message(index: number): Promise<Received>;
}

/** A device with a token, as people and as the device see it. */
export interface PushDevice {
  readonly id: string;
  readonly serial: string;
  readonly token: string;
  readonly path: string;
  /** Sends a raw command, and returns its identifier. */
  send(payload: string, more?: object): Promise<string>;
  desire(desired: object): Promise<unknown>;
  state(): Promise<{ name: string; reported: unknown; settled: boolean }[]>;
  find(commandId: string): Promise<{ state: string; code?: string; detail?: unknown }>;
  evidence(commandId: string): Promise<string[]>;
  /** Connects as the device. */
  listen(options?: object): Promise<Listener>;
}

let count = 0;

/** Registers a device. Its clients are added to `clients`, which the caller ends. */
export async function pushDevice(world: MqttWorld, clients: MqttClient[]): Promise<PushDevice> {
  const { owner, tenant } = world;
  const serial = `9a-${String(++count).padStart(4, '0')}`;
  const id = await makeDevice(tenant, serial);
  const token = await makeDeviceToken(tenant, id);
  const path = `/devices/${tenant.id}/${id}`;
  return {
    id,
    serial,
    token,
    path,
    send: async (payload, more) =>
      (await owner.post<{ id: string }>(`${path}/commands`, { name: 'raw', payload, ...more })).body.id,
    desire: async (desired) => owner.put(`${path}/state`, { desired }),
    state: async () => (await owner.get<{ state: never }>(`${path}/state`)).body.state,
    find: async (commandId) => (await owner.get<never>(`/organizations/${tenant.id}/commands/${commandId}`)).body,
    evidence: async (commandId) =>
      (
        await owner.get<{ evidence: { kind: string; source: string; code?: string }[] }>(
          `/organizations/${tenant.id}/commands/${commandId}/evidence`,
        )
      ).body.evidence.map(({ kind, source, code }) => [source, kind, ...(code === undefined ? [] : [code])].join(' ')),
    listen: async (options) => {
      const client = await connect(world.url, { username: token, ...options });
      clients.push(client);
      return listenerOf(client);
    },
  };
}

/** Keeps what a client receives. */
export function listenerOf(client: MqttClient): Listener {
  const received: Received[] = [];
  client.on('message', (topic, payload, { qos, dup }) =>
    received.push({ topic, body: JSON.parse(payload.toString()), qos, dup }),
  );
  return {
    client,
    received,
    async message(index) {
      await until(() => received.length > index);
      return received[index]!;
    },
  };
}
