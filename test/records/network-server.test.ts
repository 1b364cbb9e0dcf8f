import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import type { Answer, Client } from '../support/client.js';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';

interface Line {
  requestId?: string;
  [field: string]: unknown;
}

const lines: Line[] = [];
const log = createLog(
  'info',
  new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as Line);
      done();
    },
  }),
);
const service = useService({ log });
let organization: string;
let application: string;
let owner: Client;

const eui = '0004a30b001c0530';
const fixture = (name: string) => JSON.parse(readFileSync(`test/data/ingest/${name}.json`, 'utf8')) as object;
const uplink = fixture('the-things-stack-uplink');
const { end_device_ids } = uplink as { end_device_ids: { dev_eui?: string } };
const { deviceInfo } = fixture('chirpstack-up') as { deviceInfo: object };
const now = () => new Date().toISOString();

beforeAll(async () => {
  const tenant = await createTenant(service);
  owner = tenant.owner;
  organization = tenant.id;
  application = (await owner.post<{ id: string }>(`/organizations/${organization}/applications`, { name: 'Fleet' }))
    .body.id;
  for (const serial of [eui, '0101010101010101', 'ab-01', 'ab-02']) {
    const { body } = await owner.post<{ id: string }>(`/organizations/${organization}/devices/${serial}`, {});
    await owner.put(`/applications/${organization}/${application}/devices/${body.id}`);
  }
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  owner.request<{ message: string; errors?: object[] }>('POST', `/organizations/${organization}/ingest/${path}`, {
    body,
    headers,
  });

interface Source {
  ts: number;
  metadata: Record<string, unknown>;
  data: Record<string, unknown>;
  device: { serial: string };
}

const found = async (query: object): Promise<Source[]> => {
  const { body } = await owner.post<{ responses: [{ hits: { hits: { _source: Source }[] } }] }>(
    `/applications/${organization}/${application}/search`,
    { ts: { gte: 1e9, lte: 4e9 }, queries: [{ products: [], query }] },
  );
  return body.responses[0].hits.hits.map(({ _source }) => _source);
};

const lineOf = ({ headers }: Answer): Line | undefined => {
  const requestId = headers.get('x-request-id');
  return lines.find((line) => line.requestId === requestId);
};

describe('webhook of The Things Stack', () => {
  const send = (event: object) =>
    post('the-things-stack', { end_device_ids, correlation_ids: ['as:up:1'], received_at: now(), ...event });

  it('stores a solved location as a record with its event', async () => {
    const location_solved = { service: 'ttgc', location: { latitude: 37.97, longitude: 23.72, source: 'SOURCE_LORA' } };
    expect(await send({ location_solved })).toMatchObject({ status: 204 });
    expect(await found({ term: { 'metadata.event': 'location_solved' } })).toMatchObject([
      {
        data: { location: { lat: 37.97, lon: 23.72 } },
        metadata: { provider: 'the-things-stack' },
        device: { serial: eui },
      },
    ]);
  });

  it('stores a join as a record with its event and without its keys', async () => {
    const join_accept = { session_key_id: 'AXA5', app_s_key: { key: 'c2VjcmV0' }, received_at: now() };
    expect(await send({ join_accept })).toMatchObject({ status: 204 });
    const [record] = await found({ term: { 'metadata.event': 'join_accept' } });
    expect(record).toMatchObject({ data: {}, metadata: { provider: 'the-things-stack' } });
    expect(JSON.stringify(record)).not.toContain('c2VjcmV0');
  });

  it('stores each normalized payload of an uplink once, as a record with its event', async () => {
    const received_at = now();
    const normalized = (normalized_payload: object) =>
      send({
        received_at,
        uplink_normalized: { session_key_id: 'AXA5', f_cnt: 7, f_port: 1, frm_payload: 'gkHe', normalized_payload },
      });
    const measured = { air: { temperature: 21.5 }, time: '2022-08-23T10:00:00Z' };
    for (const payload of [measured, measured, { air: { temperature: 22 } }]) await normalized(payload);
    const records = await found({ term: { 'metadata.event': 'uplink_normalized' } });
    expect(records).toMatchObject([
      { data: { air: { temperature: 22 } }, metadata: { fCnt: 7 } },
      { ts: Date.UTC(2022, 7, 23, 10) / 1000, data: { air: { temperature: 21.5 } } },
    ]);
  });

  it('stores every uplink of a session whose frame counter begins again, and a repeated one once', async () => {
    const { uplink_message } = uplink as { uplink_message: object };
    const session_key_id = 'begins-again';
    const uplinks = [0, 1, 2, 3, 0, 1, 2].map((f_cnt, minute) => {
      const received_at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
      return { received_at, uplink_message: { ...uplink_message, session_key_id, f_cnt, received_at, settings: {} } };
    });
    for (const event of [...uplinks, ...uplinks]) expect(await send(event)).toMatchObject({ status: 204 });
    const records = await found({ range: { ts: { gte: '2026-01-01', lt: '2026-01-01T00:07:00Z' } } });
    expect(records.map(({ metadata }) => metadata['fCnt'])).toEqual([2, 1, 0, 3, 2, 1, 0]);
  });

  it('identifies the device by a device_id of the form eui-... when there is no DevEUI', async () => {
    const { uplink_message } = uplink as { uplink_message: object };
    const ids = { device_id: `eui-${eui}`, application_ids: { application_id: 'app1' } };
    const event = { ...uplink, end_device_ids: ids, uplink_message: { ...uplink_message, f_cnt: 90 } };
    expect(await post('the-things-stack', event)).toMatchObject({ status: 204 });
    expect(await found({ term: { 'metadata.fCnt': 90 } })).toMatchObject([{ device: { serial: eui } }]);
    expect(await send({ end_device_ids: { device_id: 'pump-7' }, join_accept: { session_key_id: 'a' } })).toMatchObject(
      {
        status: 422,
        body: { errors: [{ path: 'end_device_ids.dev_eui' }] },
      },
    );
  });

  it('stores data rate, frequency, counter and gateways of an uplink as searchable metadata', async () => {
    await post('the-things-stack', uplink);
    const filter = [
      { term: { 'metadata.gatewayIds': 'gtw1' } },
      { term: { 'metadata.dataRate': 'SF7BW125' } },
      { term: { 'metadata.frequency': 868_300_000 } },
      { term: { 'metadata.fCnt': 1 } },
    ];
    expect(await found({ bool: { filter } })).toMatchObject([{ metadata: { gatewayRssi: [-35], gatewaySnr: [5] } }]);
  });
});

describe('webhook of ChirpStack', () => {
  const status = { deduplicationId: 'd1', time: '2023-01-01T00:00:00+00:00', deviceInfo };

  it('stores battery and margin of a status as a record, even when an uplink had the same identifier', async () => {
    await post('chirpstack?event=up', { ...status, data: 'qg==', fPort: 1 });
    const body = { ...status, margin: 7, batteryLevel: 98.03 };
    expect(await post('chirpstack?event=status', body)).toMatchObject({ status: 204 });
    expect(await post('chirpstack?event=status', body)).toMatchObject({ status: 204 });
    expect(await found({ term: { 'metadata.event': 'status' } })).toMatchObject([
      { ts: 1_672_531_200, data: { battery: 98.03, margin: 7 }, metadata: { provider: 'chirpstack' } },
    ]);
  });

  it('omits the battery of an externally powered device, and stores an omitted margin as 0', async () => {
    await post('chirpstack?event=status', { ...status, deduplicationId: 'd2', externalPowerSource: true });
    const [record] = await found({
      bool: { filter: { term: { 'metadata.event': 'status' } }, must_not: { exists: { field: 'data.battery' } } },
    });
    expect(record?.data).toEqual({ margin: 0 });
  });

  it('stores a location as a record with its event', async () => {
    const location = { latitude: 52.37, longitude: 4.9, altitude: 0, source: 'GEO_RESOLVER_TDOA' };
    expect(await post('chirpstack?event=location', { ...status, location })).toMatchObject({ status: 204 });
    expect(await found({ term: { 'metadata.event': 'location' } })).toMatchObject([
      { data: { location: { lat: 52.37, lon: 4.9 } } },
    ]);
  });
});

describe('callback of Sigfox', () => {
  it('stores every message of a device whose sequence number begins again, and a repeated one once', async () => {
    const time = Math.floor(Date.now() / 1000);
    const messages = [4094, 4095, 0, 0, 1].map((seqNumber, minute) => ({
      device: 'ab01',
      data: 'aa',
      rssi: -47,
      time: `${time + minute * 60}`,
      seqNumber: `${seqNumber}`,
    }));
    for (const message of [...messages, ...messages])
      expect(await post('sigfox', message)).toMatchObject({ status: 204 });
    expect(await found({ term: { 'metadata.rssi': -47 } })).toHaveLength(5);
  });
});

describe('webhook of ThingsBoard', () => {
  it('stores gateway telemetry for each of its devices', async () => {
    const telemetry = [{ ts: 1559673838361, values: { level: 42.5 } }];
    expect(await post('thingsboard/ab-01', { 'AB-01': telemetry, ab02: telemetry })).toMatchObject({ status: 204 });
    expect((await found({ term: { 'data.level': 42.5 } })).map(({ device }) => device.serial).sort()).toEqual([
      'ab-01',
      'ab-02',
    ]);
  });

  it('stores gateway telemetry of the other devices when some are unknown, and names these in the log', async () => {
    const other = [{ level: 43.5 }];
    const body = { 'AB-01': [...other, { ts: 'x', level: 43.5 }], ffff: other, 'Boiler 7': other, eeee: other };
    const answer = await post('thingsboard/ab-01', body);
    expect(answer).toMatchObject({ status: 204 });
    expect(await found({ term: { 'data.level': 43.5 } })).toMatchObject([{ device: { serial: 'ab-01' } }]);
    const { rejected } = lineOf(answer) ?? {};
    expect(rejected).toMatch(
      /^4 of 5 records .* at 1: .*milliseconds.*serial ffff;.*Boiler 7: This is no.*serial eeee;/,
    );
  });

  it('stores nothing of a device without telemetry in the message of a gateway', async () => {
    const telemetry = [{ level: 45.5 }];
    expect(await post('thingsboard/ab02', { 'AB-01': [], ab02: telemetry })).toMatchObject({ status: 204 });
    expect((await found({ term: { 'data.level': 45.5 } })).map(({ device }) => device.serial)).toEqual(['ab-02']);
    expect(await post('thingsboard/ab-01', { 'AB-01': [], ffff: telemetry })).toMatchObject({ status: 404 });
  });

  it('returns 404 for gateway telemetry whose devices are all unknown, and 422 when none has a serial', async () => {
    const other = [{ level: 44.5 }];
    expect(await post('thingsboard/ab-01', { ffff: other, eeee: other })).toMatchObject({ status: 404 });
    expect(await post('thingsboard/ab-01', { 'Boiler 7': other })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'Boiler 7', message: expect.stringContaining('not a serial') }] },
    });
    expect(await found({ term: { 'data.level': 44.5 } })).toEqual([]);
  });

  it('stores nothing for an empty object', async () => {
    const before = await found({ term: { 'metadata.provider': 'thingsboard' } });
    expect(await post('thingsboard/ab-01', {})).toMatchObject({ status: 204 });
    expect(await found({ term: { 'metadata.provider': 'thingsboard' } })).toEqual(before);
  });
});

describe('identifier of an uplink', () => {
  it('tells repeated uplinks by thousands of characters', async () => {
    // Random, because PostgreSQL would compress other text below the limit of its index.
    const long = randomBytes(6000).toString('base64');
    const data = { data: 'qg==', object: { long: true }, deviceInfo };
    for (const last of ['a', 'a', 'b']) {
      const deduplicationId = `${long}${last}`;
      expect(await post('chirpstack', { ...data, deduplicationId })).toMatchObject({ status: 204 });
    }
    expect(await found({ term: { 'data.long': true } })).toHaveLength(2);
  });
});

describe('errors for network servers', () => {
  it('returns 415 with advice to choose JSON when Protobuf is sent', async () => {
    const headers = { 'content-type': 'application/octet-stream' };
    const protobuf = Buffer.from('0a0e0a0464657631', 'hex');
    expect(await post('chirpstack?event=up', protobuf, headers)).toMatchObject({
      status: 415,
      body: { message: expect.stringContaining('choose JSON as the payload encoding') },
    });
    expect(await post('the-things-stack', protobuf, headers)).toMatchObject({
      status: 415,
      body: { message: expect.stringContaining('choose JSON as the format of the webhook') },
    });
  });

  it.each<[what: string, path: string, body: object, at: string]>([
    [
      'The Things Stack',
      'the-things-stack',
      { ...uplink, uplink_message: { received_at: '2999-01-01T00:00:00Z' } },
      'uplink_message.received_at',
    ],
    ['ChirpStack', 'chirpstack', { deviceInfo, time: '2999-01-01T00:00:00Z', data: 'qg==' }, 'time'],
    ['ThingsBoard', 'thingsboard/ab-01', [{ a: 1 }, { ts: 1, values: { a: 1 } }], '1.ts'],
    ['Sigfox', 'sigfox', { device: 'ab01', data: 'aa', time: 1 }, 'time'],
  ])("returns 422 with the sender's own field for an impossible time: %s", async (_server, path, body, at) => {
    const message = 'must lie between 2000-01-01 and 24 hours from now';
    expect(await post(path, body)).toMatchObject({ status: 422, body: { errors: [{ path: at, message }] } });
  });

  it('logs serial, code and message of a refused uplink', async () => {
    const ids = { ...end_device_ids, dev_eui: '00000000000000FF' };
    const unknown = await post('the-things-stack', { ...uplink, end_device_ids: ids });
    expect(unknown.body.message).toContain('00000000000000FF');
    expect(lineOf(unknown)).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      message: unknown.body.message,
      serial: '00000000000000FF',
    });
    const broken = await post('chirpstack', { deviceInfo, data: '?' });
    expect(lineOf(broken)).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', serial: '0101010101010101' });
  });
});

describe('request log', () => {
  it('contains code and message of refused requests only', async () => {
    const refused = await owner.get(`/organizations/${organization}/devices?sort=colour`);
    expect(lineOf(refused)).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('colour'),
    });
    const graph = await fetch(`${service.url}/graphql`, { method: 'POST', body: '{}' });
    expect(lines.find(({ requestId }) => requestId === graph.headers.get('x-request-id'))).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    });
    const unreadable = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{' }),
    });
    expect(lines.find(({ requestId }) => requestId === unreadable.headers.get('x-request-id'))).toMatchObject({
      status: 400,
      code: 'MALFORMED_REQUEST',
      message: 'Syntax Error: Expected Name, found <EOF>.',
    });
    const good = lineOf(await owner.get(`/organizations/${organization}/devices`));
    expect(good).toMatchObject({ status: 200 });
    expect(good).not.toHaveProperty('code');
  });
});
