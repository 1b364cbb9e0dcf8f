import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let o: string;
let productId: string;
let serials = 0;

beforeAll(async () => {
  owner = await world.organization();
  o = owner.id;
  const variables = [{ name: 'counter', type: 'INT64' }];
  productId = await owner.make(`/organizations/${o}/products`, { name: 'Meter', version: '1', variables });
});

/** Registers a new device for each call. */
async function device(): Promise<{ id: string; serial: string }> {
  const serial = `e${++serials}`;
  const id = await owner.make(`/organizations/${o}/devices/${serial}`, { product: { id: productId } });
  return { id, serial };
}

/** Sends a body as written, since JSON.stringify would lose digits. */
async function post(path: string, body: string): Promise<any> {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
    body,
  });
  return response.json();
}

const dataOf = async (id: string): Promise<unknown> => {
  const text = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) { records { items { data } } } }`;
  const { body } = await owner.graph(text, { o, d: id });
  return body.data!.device.records.items[0].data;
};

const numbers =
  '{"counter": 9007199254740993, "large": 9223372036854775807, "huge": 1e400, "list": [0.1, {"n": -9007199254740993}], "plain": 1.5e3}';
const exact = {
  counter: '9007199254740993',
  large: '9223372036854775807',
  huge: '1e400',
  list: [0.1, { n: '-9007199254740993' }],
  plain: 1500,
};
const literal = numbers.replaceAll('"', '');
const ingest = (serial: string, data: string, header = '($o: ID!)') =>
  `mutation ${header} { ingestRecords(organizationId: $o, records: [{ serial: "${serial}", data: ${data} }]) { accepted } }`;
const wire = (query: string, variables: string) =>
  `{"query": ${JSON.stringify(query)}, "variables": {"o": "${o}"${variables}}}`;

describe('GraphQL numbers that a double cannot hold', () => {
  it('keeps their digits in a variable, also in a batch', async () => {
    const [one, other] = [await device(), await device()];
    const query = 'mutation ($o: ID!, $r: ExactJSON!) { ingestRecords(organizationId: $o, records: $r) { accepted } }';
    const operation = ({ serial }: { serial: string }) =>
      wire(query, `, "r": [{"serial": "${serial}", "data": ${numbers}}]`);
    expect(await post('/graphql', operation(one))).toEqual({ data: { ingestRecords: { accepted: 1 } } });
    expect(await post('/graphql', `[${operation(other)}]`)).toEqual([{ data: { ingestRecords: { accepted: 1 } } }]);
    expect(await dataOf(one.id)).toEqual(exact);
    expect(await dataOf(other.id)).toEqual(exact);
  });

  it('keeps their digits in the text of the operation', async () => {
    const { id, serial } = await device();
    expect(await post('/graphql', wire(ingest(serial, literal), ''))).toEqual({
      data: { ingestRecords: { accepted: 1 } },
    });
    expect(await dataOf(id)).toEqual(exact);
  });

  it('keeps their digits in a variable inside a literal', async () => {
    const { id, serial } = await device();
    const query = ingest(serial, '$data', '($o: ID!, $data: JSONObject)');
    expect(await post('/graphql', wire(query, `, "data": ${numbers}`))).toEqual({
      data: { ingestRecords: { accepted: 1 } },
    });
    expect(await dataOf(id)).toEqual(exact);
  });

  it('returns VALIDATION_FAILED for such a number as a variable of its own', async () => {
    const { serial } = await device();
    const query = ingest(serial, '{ counter: $n }', '($o: ID!, $n: ExactJSON)');
    for (const number of ['9007199254740993', '1e400']) {
      const { errors } = await post('/graphql', wire(query, `, "n": ${number}`));
      expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
      expect(errors[0].message).toContain('send it as text');
    }
  });

  it('stores the same digits as over REST', async () => {
    const { id, serial } = await device();
    await post(`/ddp/v1/organizations/${o}/records`, `[{"serial": "${serial}", "data": ${numbers}}]`);
    expect(await dataOf(id)).toEqual(exact);
  });
});

it('accepts a GraphQL time with many digits, and refuses a limit beyond the range of integers', async () => {
  const { id } = await device();
  const query = `query ($o: ID!, $d: ID!, $from: UnixTime, $limit: Int) {
    device(organizationId: $o, deviceId: $d) { records(from: $from, limit: $limit) { totalCount } } }`;
  const answer = await post('/graphql', wire(query, `, "d": "${id}", "from": 1700000000.123456789, "limit": 5`));
  expect(answer).toEqual({ data: { device: { records: { totalCount: 0 } } } });
  const wrong = await post('/graphql', wire(query, `, "d": "${id}", "limit": 9007199254740993`));
  expect(wrong.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
});

it("accepts a record's ts over GraphQL with more digits than a double holds, but not as text", async () => {
  const { serial } = await device();
  const query = 'mutation ($o: ID!, $r: ExactJSON!) { ingestRecords(organizationId: $o, records: $r) { accepted } }';
  const record = (ts: string) => `{"serial": "${serial}", "ts": ${ts}, "data": {}}`;
  const byVariable = await post('/graphql', wire(query, `, "r": [${record('1700000000.12345678901234')}]`));
  const inText = `mutation ($o: ID!) { ingestRecords(organizationId: $o, records: { serial: "${serial}", ts: 1700000001.12345678901234, data: {} }) { accepted } }`;
  const byLiteral = await post('/graphql', wire(inText, ''));
  const asText = await post('/graphql', wire(query, `, "r": ${record('"1700000000.5"')}`));
  const accepted = [byVariable, byLiteral, asText].map(({ data }) => data.ingestRecords.accepted);
  expect(accepted).toEqual([1, 1, 0]);
});
