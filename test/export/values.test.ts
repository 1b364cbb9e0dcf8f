import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { fine, type Receiver, startReceiver } from '../hooks/receiver.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { createCases, type Json, sendCases, start, valueCases, variables } from './value-case.js';

const world = useWorld();
let owner: AccountActor;
let application: string;
let devices: string[];
let receiver: Receiver;

const fitting = valueCases.flatMap((each, index) => (each.shown === undefined ? [] : [{ ...each, index }]));
const shown = valueCases.map(({ shown: value }) => value ?? null);
const isNumeric = (variable: string) => ['temperature', 'count', 'small'].includes(variable);
const file = async (parameters: Record<string, string>) => {
  const response = await fetch(`${owner.base}${application}/export?${new URLSearchParams(parameters)}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(response.status).toBe(200);
  return response.arrayBuffer();
};
const csv = async (parameters: Record<string, string> = {}) => Buffer.from(await file(parameters)).toString();

beforeAll(async () => {
  owner = await world.organization();
  receiver = await startReceiver(fine);
  ({ application, devices } = await createCases(owner));
  await owner.make(`${application}/hooks`, { url: receiver.url() });
  const compare = (variable: string, type: string) => {
    if (type === 'TXT') return [{ variable, operator: 'ne', value: 'another' }];
    if (type === 'BOOL') return [true, false].map((value) => ({ variable, operator: 'eq', value }));
    return [{ variable, operator: 'gte', value: `-1${'0'.repeat(100)}` }];
  };
  for (const { name, type } of variables)
    await owner.make(`${application}/alert-rules`, { name, kind: 'threshold', when: { any: compare(name, type) } });
  expect(await sendCases(owner)).toBe(valueCases.length);
}, 60_000);
afterAll(() => receiver.close());

describe('a value, as every surface shows it', () => {
  const search = async () => {
    const { body } = await owner.post<any>(`${application}/search`, {
      ts: { gte: start, lte: start + 1000 },
      queries: [
        { products: [], size: 200, sort: [{ ts: 'asc' }], fields: variables.map(({ name }) => `data.${name}`) },
      ],
    });
    return body.responses[0].hits.hits as {
      _source: { data: object };
      _ignored?: string[];
      fields?: Record<string, Json[]>;
    }[];
  };

  it('has the same form in searches, latest values and series', async () => {
    const hits = await search();
    expect(hits.map(({ fields }, index) => fields?.[`data.${valueCases[index]!.variable}`] ?? [null])).toEqual(
      shown.map((value) => [value].flat()),
    );
    expect(hits.map(({ _ignored = [] }) => _ignored.length)).toEqual(
      valueCases.map(({ shown: value }) => (value === undefined ? 1 : 0)),
    );
    const latest = (await owner.get<any>(`${application}/latest?limit=100`)).body as {
      deviceId: string;
      values: any[];
    }[];
    const newest = new Map(latest.map(({ deviceId, values }) => [deviceId, values[0]?.value ?? null]));
    expect(devices.map((id) => newest.get(id) ?? null)).toEqual(shown);
    const lines = await owner.graph(
      `query ($o: ID!, $a: ID!, $v: [String!]!, $from: UnixTime, $to: UnixTime) {
        series(organizationId: $o, applicationId: $a, variables: $v, from: $from, to: $to, points: 100, function: max) {
          deviceId values } }`,
      {
        o: owner.id,
        a: application.split('/').at(-1),
        v: ['temperature', 'count', 'small'],
        from: start,
        to: start + 100,
      },
    );
    const points = new Map<string, number[]>();
    for (const { deviceId, values } of lines.body.data!['series'])
      if (values.length > 0) points.set(deviceId, [values[0]]);
    // Charts show no lists.
    const numbers = fitting.filter(({ variable, sent }) => isNumeric(variable) && !Array.isArray(sent));
    expect(numbers.map(({ index }) => points.get(devices[index]!))).toEqual(
      numbers.map(({ shown: value }) => [Number(value)]),
    );
    expect(points.size).toBe(numbers.length);
  });

  it('comes in hooks as it was sent, and in episodes as the rule compared it', async () => {
    const calls = await receiver.received(valueCases.length);
    const called = new Map(
      calls.map(({ body }) => [JSON.parse(body).device.id, JSON.parse(body).record.data] as [string, object]),
    );
    expect(devices.map((id) => called.get(id))).toEqual(valueCases.map(({ variable, sent }) => ({ [variable]: sent })));
    const { body } = await owner.get<any>(`${application}/episodes?limit=100`);
    const opened = new Map<string, object>(body.map((each: any) => [each.deviceId, each.openedBy.values]));
    const compared = fitting.filter(({ sent }) => typeof sent === 'number' || typeof sent === 'string');
    const texts = compared.filter(({ variable, sent }) => variable === 'label' && typeof sent === 'string');
    const numbers = compared.filter(({ variable }) => isNumeric(variable));
    for (const { index, variable, shown: value } of [...texts, ...numbers])
      expect([index, `${(opened.get(devices[index]!) as any)?.[variable]}`]).toEqual([index, String(value)]);
  });

  it('comes in lists of the graph and in exports as NDJSON and CSV as it was sent', async () => {
    const { body } = await owner.graph(
      'query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { records(limit: 100) { items { data } } } }',
      { o: owner.id, a: application.split('/').at(-1) },
    );
    const sent = valueCases.map(({ variable, sent: value }) => ({ [variable]: value }));
    expect(body.data!['application'].records.items.map(({ data }: { data: object }) => data).toReversed()).toEqual(
      sent,
    );
    const lines = (await csv({ format: 'ndjson' })).split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line).data)).toEqual(sent);
    const asText = ({ sent: value }: (typeof valueCases)[number]) =>
      typeof value === 'string' ? value : JSON.stringify(value);
    // Some readers end a row at each of these line breaks.
    const options = { columns: true as const, record_delimiter: ['\r\n', '\n', '\r'] };
    const rows = parse<Record<string, string>>(await csv(), options);
    expect(rows.map((row, index) => row[`data.${valueCases[index]!.variable}`])).toEqual(valueCases.map(asText));
    expect(await csv({ bom: 'true', columns: 'ts' })).toMatch(/^\uFEFFts\r\n2023/);
    expect(await csv({ columns: 'ts' })).toMatch(/^ts\r\n/);
  });

  it('comes in Parquet as searches read it, with times in UTC, and is null if it does not fit', async () => {
    const bytes = await file({ format: 'parquet' });
    const rows = await parquetReadObjects({ file: bytes });
    const read = rows.map((row, index) => row[`data.${valueCases[index]!.variable}`]);
    const plain = (value: unknown) => {
      if (typeof value !== 'bigint') return value;
      return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
    };
    // A list of numbers has no place in a column of numbers.
    const expected = valueCases.map(({ shown: value }) => {
      if (!Array.isArray(value)) return value ?? null;
      return value.every((each) => typeof each === 'string') ? JSON.stringify(value) : null;
    });
    expect(read.map(plain)).toEqual(expected);
    const { schema } = parquetMetadata(bytes);
    expect(schema.find(({ name }) => name === 'ts')).toMatchObject({
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    });
  });
});
