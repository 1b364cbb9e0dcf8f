import type { ServerResponse } from 'node:http';
import { expect } from '@jest/globals';
import { type Received, type Receiver, startReceiver } from '../hooks/receiver.js';
import { until } from '../support/until.js';
import type { AccountActor, World } from '../support/world.js';

/** A kind of network server, with the forms of its requests and events as its repository has them. */
export type Kind = 'THE_THINGS_STACK' | 'CHIRPSTACK';

/** A command that a scripted server was given. */
export interface Taken {
  /** Correlation id, or the identifier that the server gave. */
  name: string;
  payload: string;
  port: number;
  confirmed: boolean;
  expiresAt?: string;
}

/** Answers a push: `true` takes the command; a number answers this status. */
export type Behaviour = true | number | ((response: ServerResponse, take: () => void) => void);

let count = 0;
const chirpStackId = () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;

/** A scripted network server on loopback. */
export class ScriptedServer {
  readonly taken: Taken[] = [];
  /** Names of commands in the queue, as The Things Stack lists it. */
  readonly queue: string[] = [];
  /** Behaviours of the next pushes; later ones are taken. */
  readonly script: Behaviour[] = [];
  /** Whether the queue can be listed. */
  lists = true;
  pushes = 0;
  receiver!: Receiver;

  constructor(readonly kind: Kind) {}

  async start(): Promise<this> {
    this.receiver = await startReceiver((response, call) => this.answer(response, call));
    return this;
  }

  private answer(response: ServerResponse, call: Received): void {
    response.setHeader('content-type', 'application/json');
    if (call.body === '') {
      const downlinks = this.queue.map((name) => ({ correlation_ids: ['as:downlink:1', name] }));
      return void response.writeHead(this.lists ? 200 : 403).end(JSON.stringify({ downlinks }));
    }
    this.pushes++;
    const behaviour = this.script.shift() ?? true;
    if (typeof behaviour === 'number')
      return void response.writeHead(behaviour).end('{"code":16,"message":"scripted","details":[]}');
    let name = '';
    const take = () => {
      const one = this.kind === 'CHIRPSTACK' ? ofChirpStack(call) : ofTheThingsStack(call);
      ({ name } = one);
      this.taken.push(one);
      this.queue.push(name);
    };
    if (behaviour !== true) return behaviour(response, take);
    take();
    response.end(this.kind === 'CHIRPSTACK' ? JSON.stringify({ id: name }) : '{}');
  }

  close(): Promise<void> {
    return this.receiver.close();
  }
}

const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

const ofTheThingsStack = ({ body }: Received): Taken => {
  const [downlink] = JSON.parse(body).downlinks;
  const { frm_payload: payload, f_port: port, confirmed, correlation_ids: ids } = downlink;
  return { name: ids[0], payload: hexOf(payload), port, confirmed };
};

const ofChirpStack = ({ body }: Received): Taken => {
  const { data, fPort: port, confirmed, expiresAt } = JSON.parse(body).queueItem;
  return { name: chirpStackId(), payload: hexOf(data), port, confirmed, expiresAt };
};

/** A device that is heard through a scripted server, and functions that speak to it and for it. */
export async function newDeviceOf(world: World, owner: AccountActor, server: ScriptedServer, application: string) {
  const serial = `70b3d57e${String(++count).padStart(8, '0')}`;
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, {});
  const ids = {
    device_id: `eui-${serial}`,
    application_ids: { application_id: application },
    dev_eui: serial.toUpperCase(),
  };
  const info = { applicationId: application, deviceName: 'Pump', devEui: serial };
  const at = `/organizations/${owner.id}/ingest`;
  const post = (body: object, event: string, headers: Record<string, string> = {}) =>
    owner.request('POST', server.kind === 'CHIRPSTACK' ? `${at}/chirpstack?event=${event}` : `${at}/the-things-stack`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const device = {
    id,
    serial,
    /** Posts an event as the server does. */
    event: (kind: string, body: object) =>
      post(
        server.kind === 'CHIRPSTACK'
          ? { time: '2026-11-30T09:00:00.250Z', deviceInfo: info, ...body }
          : {
              end_device_ids: ids,
              correlation_ids: ['gs:uplink:01'],
              received_at: '2026-11-30T09:00:00.250Z',
              [kind]: body,
            },
        kind,
      ),
    uplink: (headers: Record<string, string> = {}) =>
      server.kind === 'CHIRPSTACK'
        ? post({ deduplicationId: chirpStackId(), deviceInfo: info, fPort: 1, data: 'AQ==' }, 'up', headers)
        : post(
            {
              end_device_ids: ids,
              uplink_message: { f_port: 1, frm_payload: 'AQ==', session_key_id: 'a', f_cnt: ++count },
            },
            'up',
            headers,
          ),
    send: (payload: string, more: object = {}) =>
      owner.make(`/devices/${owner.id}/${id}/commands`, { name: 'raw', payload, ...more }),
  };
  expect((await device.uplink()).status).toBe(204);
  await until(
    async () => (await world.pool.query('select from device_road where device_id = $1', [id])).rows.length > 0,
  );
  return device;
}

export interface Evidence {
  source: string;
  kind: string;
  code?: string;
  detail?: Record<string, unknown>;
}

/** Functions that read the commands of an organization. */
export const commandsOf = (owner: AccountActor) => {
  const at = (id: string) => `/organizations/${owner.id}/commands/${id}`;
  const read = async (id: string) => (await owner.get<{ state: string; code?: string }>(at(id))).body;
  return {
    read,
    evidence: async (id: string) => (await owner.get<{ evidence: Evidence[] }>(`${at(id)}/evidence`)).body.evidence,
    reaches: (id: string, state: string) => until(async () => (await read(id)).state === state),
  };
};
