import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let count = 0;

beforeAll(async () => {
  owner = await world.organization();
});

interface Evidence {
  source: string;
  kind: string;
  code?: string;
  detail?: unknown;
}

/** Creates a device, and functions that speak to it and for it. */
async function newDevice() {
  const device = (0xa0_0000 + ++count).toString(16).toUpperCase();
  const id = await owner.make(`/organizations/${owner.id}/devices/00${device}`, {});
  const first = Math.floor(Date.now() / 1000);
  return {
    device,
    send: (payload: string) => owner.make(`/devices/${owner.id}/${id}/commands`, { name: 'raw', payload }),
    /** Posts the callback of a message as Sigfox does. */
    callback: (seqNumber: number, more: object = {}) =>
      owner.post(`/organizations/${owner.id}/ingest/sigfox`, {
        device,
        data: 'aa',
        time: `${first + seqNumber}`,
        seqNumber: `${seqNumber}`,
        ack: 'true',
        ...more,
      }),
    answer: (downlinkData: string) => ({ status: 200, body: { [device]: { downlinkData } } }),
  };
}

const nothing = { status: 204, body: undefined };
const shown = ({ status, body }: { status: number; body: unknown }) => ({
  status,
  body: body === '' ? undefined : body,
});
const commandAt = (id: string) => `/organizations/${owner.id}/commands/${id}`;
const stateOf = async (id: string) => (await owner.get<{ state: string; code?: string }>(commandAt(id))).body;
const evidenceOf = async (id: string) =>
  (await owner.get<{ evidence: Evidence[] }>(`${commandAt(id)}/evidence`)).body.evidence;

describe('callback of Sigfox that asks for a downlink', () => {
  it('gets the commands in the order in which they were sent, each once, and then 204', async () => {
    const { send, callback, answer } = await newDevice();
    const first = await send('0102');
    await send('1112131415161718');
    expect(shown(await callback(1))).toEqual(answer('0102000000000000'));
    expect(await stateOf(first)).toMatchObject({ state: 'handed' });
    expect(await evidenceOf(first)).toMatchObject([{ source: 'service', kind: 'handed' }]);
    expect(shown(await callback(2))).toEqual(answer('1112131415161718'));
    expect(shown(await callback(3))).toEqual(nothing);
  });

  it('gets the same answer when it is repeated, also at once', async () => {
    const { send, callback, answer } = await newDevice();
    const first = await send('01');
    const second = await send('02');
    const answers = await Promise.all([1, 1, 1, 1].map((sequence) => callback(sequence)));
    for (const one of [...answers, await callback(1)]) expect(shown(one)).toEqual(answer('0100000000000000'));
    expect(await evidenceOf(first)).toHaveLength(1);
    expect(await stateOf(second)).toMatchObject({ state: 'waiting' });
  });

  it('ends commands that are no eight bytes, and gets the next one', async () => {
    const { send, callback, answer } = await newDevice();
    const long = await send('010203040506070809');
    await send('03');
    expect(shown(await callback(1))).toEqual(answer('0300000000000000'));
    expect(await stateOf(long)).toMatchObject({ state: 'failed', code: 'PAYLOAD_SIZE' });
  });

  it('gets at most four commands a day: a further one waits for the next day, and its evidence says so', async () => {
    const { send, callback, answer } = await newDevice();
    const ids: string[] = [];
    for (const payload of ['01', '02', '03', '04', '05']) ids.push(await send(payload));
    for (const sequence of [1, 2, 3, 4]) expect((await callback(sequence)).status).toBe(200);
    for (const sequence of [5, 6]) expect(shown(await callback(sequence))).toEqual(nothing);
    expect(await stateOf(ids[4]!)).toMatchObject({ state: 'waiting' });
    expect(await evidenceOf(ids[4]!)).toMatchObject([{ source: 'service', kind: 'noted', code: 'DAILY_ALLOWANCE' }]);
    // A repeated callback gets its answer none the less.
    expect(shown(await callback(4))).toEqual(answer('0400000000000000'));
    await world.pool.query(`update command_evidence set at = at - interval '1 day' where command_id = any($1)`, [ids]);
    expect(shown(await callback(7))).toEqual(answer('0500000000000000'));
  });

  it('gets the command in the graph as well', async () => {
    const { device, send } = await newDevice();
    await send('04');
    const ingest = 'mutation ($o: ID!, $b: ExactJSON!) { ingestSigfox(organizationId: $o, body: $b) }';
    const body = { device, data: 'aa', time: 1_795_000_000, seqNumber: 1, ack: true };
    const { body: answered } = await owner.graph(ingest, { o: owner.id, b: body });
    expect(answered).toMatchObject({ data: { ingestSigfox: { [device]: { downlinkData: '0400000000000000' } } } });
  });

  it.each([
    ['does not ask', { ack: 'false' }],
    ['has no sequence number', { seqNumber: undefined }],
    ['has no time', { time: undefined }],
  ])('leaves the command waiting when it %s', async (_title, more) => {
    const { send, callback } = await newDevice();
    const id = await send('05');
    expect(shown(await callback(1, more))).toEqual(nothing);
    expect(await stateOf(id)).toMatchObject({ state: 'waiting' });
  });

  it('answers 404 for a device that does not exist', async () => {
    const { callback } = await newDevice();
    expect(await callback(1, { device: 'FFFFFF' })).toMatchObject({ status: 404 });
  });
});

describe('callback of Sigfox that acknowledges a downlink', () => {
  const acknowledge = (device: string, more: object) =>
    owner.post(`/organizations/${owner.id}/ingest/sigfox`, { device, ...more });

  it.each([
    ['0', 'transmitted', undefined],
    ['3', 'failed', 'DAILY_ALLOWANCE'],
    ['4', 'failed', 'NETWORK_ERROR'],
    ['77', 'failed', 'NOT_SENT'],
    ['5', 'handed', undefined],
  ])('gives evidence: its code %s means %s', async (infoCode, state, code) => {
    const { device, send, callback } = await newDevice();
    const id = await send('01');
    await callback(1);
    const news = {
      infoCode,
      infoMessage: 'as Sigfox says',
      downlinkAck: `${infoCode === '0'}`,
      downlinkOverusage: 'false',
    };
    for (const more of [news, news]) expect(shown(await acknowledge(device, more))).toEqual(nothing);
    expect(await stateOf(id)).toMatchObject({ state, ...(code && { code }) });
    expect((await evidenceOf(id))[1]).toMatchObject({
      source: 'networkServer',
      detail: { infoCode: Number(infoCode), infoMessage: 'as Sigfox says', downlinkOverusage: false },
    });
  });

  it('concerns the command of the message with its time', async () => {
    const { device, send, callback } = await newDevice();
    const [first, second] = [await send('01'), await send('02')];
    const seconds = Math.floor(Date.now() / 1000);
    await callback(1, { time: `${seconds}` });
    await callback(2, { time: `${seconds + 60}` });
    await acknowledge(device, { time: `${seconds}`, infoCode: 0, downlinkAck: true });
    expect([await stateOf(first), await stateOf(second)]).toMatchObject([
      { state: 'transmitted' },
      { state: 'handed' },
    ]);
  });

  it('changes nothing without a command that was handed over, or without a device', async () => {
    const { device, send } = await newDevice();
    const id = await send('01');
    expect(shown(await acknowledge(device, { infoCode: 1 }))).toEqual(nothing);
    expect(shown(await acknowledge('FFFFFE', { infoCode: 0 }))).toEqual(nothing);
    expect(await evidenceOf(id)).toEqual([]);
  });
});
