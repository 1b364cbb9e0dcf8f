import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { PlainJson } from '#json/json.js';
import type { PlainObject } from '#records/item.js';
import { readChirpStack } from '#records/sources/chirpstack.js';
import { readSigfox } from '#records/sources/sigfox.js';
import { storable } from '#records/sources/source.js';
import { readTheThingsStack } from '#records/sources/the-things-stack.js';
import { readThingsBoard } from '#records/sources/thingsboard.js';

const fixture = (name: string): PlainJson =>
  JSON.parse(readFileSync(`test/data/ingest/${name}.json`, 'utf8')) as PlainJson;
const object = (name: string) => fixture(name) as PlainObject;

describe('The Things Stack payload parser', () => {
  const uplink = object('the-things-stack-uplink');
  const message = uplink.uplink_message as PlainObject;
  const read = (change: PlainObject, outer: PlainObject = {}) =>
    readTheThingsStack({ ...uplink, ...outer, uplink_message: { ...message, ...change } })[0];

  it('reads an uplink of The Things Stack', () => {
    expect(readTheThingsStack(uplink)).toEqual([
      {
        serials: ['0004A30B001C0530'],
        ts: 1581520545.7895856,
        tsPath: 'uplink_message.received_at',
        metadata: {
          rssi: -35,
          snr: 5,
          gateways: 1,
          gatewayIds: ['gtw1'],
          gatewayRssi: [-35],
          gatewaySnr: [5],
          fCnt: 1,
          dataRate: 'SF7BW125',
          frequency: 868_300_000,
          provider: 'the-things-stack',
        },
        data: { temperature: 1, luminosity: 0.64 },
        frame: { bytes: Buffer.from('8241de', 'hex') },
        key: '0004A30B001C0530|AXA50tHUGUucuzS/bCGMNw==|1|2020-02-12T15:15:45.789585559Z',
      },
    ]);
  });

  it('maps the port to the stream and a missing frame counter to 0', () => {
    const { f_cnt: _count, ...first } = message;
    expect(readTheThingsStack({ ...uplink, uplink_message: { ...first, f_port: 7 } })).toMatchObject([
      { frame: { streamId: 7 }, key: expect.stringContaining('|AXA50tHUGUucuzS/bCGMNw==|0|') },
    ]);
  });

  it('falls back to the outer time when the inner one is of year 1, and omits the time when both are', () => {
    const simulated = { received_at: '0001-01-01T00:00:00Z' };
    expect(read(simulated)?.ts).toBe(1581520546.0147731);
    expect(read(simulated)?.key).toMatch(/\|1\|2020-02-12T15:15:46.014773143Z$/);
    expect(read(simulated, simulated)).not.toHaveProperty('ts');
  });

  it("derives the record key from the uplink's identifier when there is no session", () => {
    expect(read({ session_key_id: '' })?.key).toBe('as:up:01E0WZGT6Y7657CPFPE5WEYDSQ');
  });

  it('copies the reception of the gateway with the best SNR, where an omitted SNR counts as 0', () => {
    const rx_metadata: PlainJson[] = [{ snr: -3, rssi: -20 }, { rssi: -90 }, { rssi: -80 }, {}];
    expect(read({ rx_metadata })?.metadata).toMatchObject({ rssi: -80, snr: 0, gateways: 4 });
  });

  it('throws an error that names the field of the serial when it is missing', () => {
    expect(() => readTheThingsStack({ uplink_message: {} })).toThrow('end_device_ids.dev_eui');
  });

  it('returns no records for other events', () => {
    expect(readTheThingsStack({ ...uplink, uplink_message: undefined!, downlink_ack: { f_port: 1 } })).toEqual([]);
    expect(readTheThingsStack({ join_accept: {} })).toEqual([]);
  });

  it('lists gateways from best to worst with the reception of each', () => {
    const rx_metadata: PlainJson[] = [
      { gateway_ids: { gateway_id: 'far' }, rssi: -110, snr: -8 },
      { gateway_ids: { eui: 'EEEE' } },
      { gateway_ids: { gateway_id: 'near' }, rssi: -60 },
    ];
    expect(read({ rx_metadata })?.metadata).toMatchObject({
      rssi: -60,
      snr: 0,
      gateways: 3,
      gatewayIds: ['near', 'far', 'EEEE'],
      gatewayRssi: [-60, -110, null],
      gatewaySnr: [0, -8, null],
    });
  });

  it.each([
    [{ lora: { bandwidth: 62_500, spreading_factor: 12 } }, 'SF12BW62.5'],
    [{ fsk: { bit_rate: 50_000 } }, 'FSK50'],
    [{ lrfhss: { operating_channel_width: 137_000, coding_rate: '1/3' } }, 'LR-FHSS137'],
    [{}, undefined],
  ])('names the data rate of %j', (data_rate: PlainObject, dataRate) => {
    expect(read({ settings: { data_rate } })?.metadata.dataRate).toBe(dataRate);
  });
});

describe('ChirpStack payload parser', () => {
  const uplink = object('chirpstack-up');

  it('reads an uplink of ChirpStack', () => {
    expect(readChirpStack(uplink)).toEqual([
      {
        serials: ['0101010101010101'],
        ts: 1658136855.7750232,
        tsPath: 'time',
        metadata: {
          rssi: -36,
          snr: 10.5,
          gateways: 1,
          gatewayIds: ['0016c001f153a14c'],
          gatewayRssi: [-36],
          gatewaySnr: [10.5],
          fCnt: 0,
          dataRate: 'SF11BW125',
          frequency: 867_100_000,
          provider: 'chirpstack',
        },
        data: {},
        frame: { streamId: 1, bytes: Buffer.from('aa', 'hex') },
        key: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
      },
    ]);
  });

  it('keeps decoded fields, and sets no stream for port 0', () => {
    expect(readChirpStack({ ...uplink, fPort: 0, object: { t: 1 } })).toMatchObject([
      { data: { t: 1 }, frame: { bytes: Buffer.from('aa', 'hex') } },
    ]);
    expect(readChirpStack({ ...uplink, fPort: 0 })[0]?.frame).not.toHaveProperty('streamId');
  });

  it('throws an error that names the invalid field', () => {
    expect(() => readChirpStack({})).toThrow('deviceInfo.devEui');
    expect(() => readChirpStack({ ...uplink, data: '?' })).toThrow('data');
  });
});

describe('Sigfox payload parser', () => {
  const message = object('sigfox-data-bidir');

  it('reads a message whose numbers are text', () => {
    expect(readSigfox(message)).toEqual([
      {
        serials: ['1A2345', '001A2345'],
        ts: 1512814827,
        tsPath: 'time',
        metadata: { rssi: -123, snr: 18.86, provider: 'sigfox' },
        data: {},
        frame: { streamId: 'only', bytes: Buffer.from('b0513801a421f0019405a500', 'hex') },
        key: '1A2345|1508|1512814827',
      },
    ]);
  });

  it('treats null, also when written as text, as absent', () => {
    expect(readSigfox({ ...message, rssi: 'null', snr: null })[0]?.metadata).toEqual({ provider: 'sigfox' });
    expect(readSigfox({ ...message, data: null })).toEqual([]);
    expect(() => readSigfox({ ...message, device: 'null' })).toThrow('device');
  });
});

describe('ThingsBoard payload parser', () => {
  it('reads telemetry', () => {
    expect(readThingsBoard(fixture('thingsboard-telemetry'), 'ab')).toEqual([
      {
        serials: ['ab'],
        ts: 1559673838.361,
        tsPath: '0.ts',
        metadata: { provider: 'thingsboard' },
        data: { temperature: 42.5, humidity: 73 },
      },
      {
        serials: ['ab'],
        ts: 1559673902.031,
        tsPath: '1.ts',
        metadata: { provider: 'thingsboard' },
        data: { temperature: 42, active: true },
      },
    ]);
  });

  it('omits the time of values that carry none', () => {
    const [item] = readThingsBoard({ temperature: 1 }, 'ab');
    expect(item).toEqual({ serials: ['ab'], metadata: { provider: 'thingsboard' }, data: { temperature: 1 } });
  });

  const item = (data: PlainObject, ts?: number) => ({
    serials: ['ab'],
    metadata: { provider: 'thingsboard' },
    data,
    ...(ts && { ts, tsPath: 'ts' }),
  });

  it('reads the inner values when other fields stand beside `ts` and `values`', () => {
    expect(readThingsBoard({ ts: 1559673838361, values: { a: 1 }, more: true }, 'ab')).toEqual([
      item({ a: 1 }, 1559673838.361),
    ]);
  });

  it('keeps the time that stands beside values', () => {
    expect(readThingsBoard({ ts: '1559673838361', temperature: 5 }, 'ab')).toEqual([
      item({ temperature: 5 }, 1559673838.361),
    ]);
  });

  it('returns no records for an object without values', () => {
    const empty: PlainJson[] = [{}, [], [{}], { ts: 1559673838361 }, { ts: 1559673838361, values: {} }];
    for (const nothing of empty) expect(readThingsBoard(nothing, 'ab')).toEqual([]);
  });

  it('keeps numeric text as text, and arrays of objects inside `values`', () => {
    expect(readThingsBoard({ a: '5', values: 1 }, 'ab')).toEqual([item({ a: '5', values: 1 })]);
    expect(readThingsBoard({ values: { scan: [{ mac: 'x' }] } }, 'ab')).toEqual([item({ scan: [{ mac: 'x' }] })]);
  });

  it('reads gateway telemetry for each of its devices', () => {
    const body: PlainJson = { 'AB-01': [{ ts: 1559673838361, values: { a: 1 } }, { a: 2 }], ab02: [{ b: 3 }] };
    expect(readThingsBoard(body, 'ab')).toEqual([
      { ...item({ a: 1 }), serials: ['AB-01'], ts: 1559673838.361, tsPath: 'AB-01.0.ts' },
      { ...item({ a: 2 }), serials: ['AB-01'] },
      { ...item({ b: 3 }), serials: ['ab02'] },
    ]);
    expect(() => readThingsBoard({ 'device A': [{ a: 1 }] }, 'ab')).toThrow('device A: This is not a serial');
  });

  it('throws an error that names the item that is not telemetry', () => {
    expect(() => readThingsBoard([{ a: 1 }, 2], 'ab')).toThrow('1:');
    expect(() => readThingsBoard([{ ts: 'x', values: {} }], 'ab')).toThrow('0.ts');
  });
});

describe('payload sanitizing', () => {
  it('throws for values nested over 64 deep', () => {
    const nested = (depth: number): PlainJson => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(storable(nested(64))).toEqual(nested(64));
    expect(() => storable(nested(65))).toThrow('64 deep');
  });

  it('replaces characters that PostgreSQL cannot store, in keys and values', () => {
    expect(storable({ 'a\0': ['\uD800b', 1, null] })).toEqual({ 'a\uFFFD': ['\uFFFDb', 1, null] });
  });
});
