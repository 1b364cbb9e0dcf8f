import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { createClient } from 'graphql-ws';
import { type Attack, type Attacker, attackerAddress, json, send } from './attack-call.js';
import { doorAttacks } from './attack-door.js';
import { edgeAttacks } from './attack-edge.js';

const searchPath = (of: Attacker) => `/ddp/v1/applications/${of.organizationId}/${of.applicationId}/search`;
const recordPath = (of: Attacker) => `/ddp/v1/organizations/${of.organizationId}/records`;
const range = () => ({ gte: Date.now() / 1000 - 86_400, lte: Date.now() / 1000 + 60 });
const searchOf = (queries: readonly object[]) =>
  JSON.stringify({ ts: range(), queries: queries.map((query) => ({ products: [], ...query })) });

/** Creates an attack that posts the given bodies. */
const posting = (
  workers: number,
  path: (of: Attacker) => string,
  bodies: (of: Attacker) => readonly (string | Buffer)[],
  headers = json as Record<string, string>,
): Attack => ({
  workers,
  async prepare(of) {
    return bodies(of).map((body) => () => send(of, path(of), body, headers));
  },
});

const blanks = ' '.repeat(60_000);
const hours = { date_histogram: { field: 'ts', fixed_interval: '1h' } };
const script = (text: string) => ({
  size: 0,
  aggs: { h: { ...hours, aggs: { m: { moving_fn: { buckets_path: '_count', window: 3, script: text } } } } },
});
/** Queries that each blocked the event loop for seconds (test/attack/parsing.test.ts). */
const slowToRead: readonly object[] = [
  { query: { range: { ts: { gte: `${'1'.repeat(43)}x`, format: 'dHms'.repeat(7) } } } },
  { includes: ['*a*a*a*a*a*b'] },
  { query: { simple_query_string: { query: 'a '.repeat(30_000) } } },
  { query: { simple_query_string: { query: '('.repeat(30_000) } } },
  { query: { query_string: { query: `a${' OR a'.repeat(1000)}` } } },
  { query: { geo_distance: { distance: `1${blanks}x`, 'device.location': { lat: 1, lon: 1 } } } },
  script(`MovingFunctions.max(values${blanks}x`),
  { size: 0, aggs: { s: { sum: { field: 'data.n', format: `${','.repeat(16_000)}x` } } } },
];

const minutes = (buckets: number, aggs: object) => {
  const extended_bounds = { min: Date.now() - buckets * 60_000, max: Date.now() };
  return {
    size: 0,
    aggs: { m: { date_histogram: { field: 'ts', fixed_interval: '1m', extended_bounds }, aggs } },
  };
};
const totals = Object.fromEntries(
  Array.from({ length: 190 }, (_, index) => [`t${index}`, { cumulative_sum: { buckets_path: '_count' } }]),
);
const deviation = {
  moving_fn: { buckets_path: '_count', window: 60_000, script: 'MovingFunctions.stdDev(values)' },
};

const objectOf = (keys: number) =>
  `{${Array.from({ length: keys }, (_, index) => `"${index.toString(36)}":1`).join(',')}}`;
const items = (of: Attacker, count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      serial: of.serials[index % of.serials.length],
      metadata: { rssi: -60 - (index % 50) },
      data: { temperature: 15 + (index % 170) / 10, status: 'a'.repeat(50) },
    })),
  );

const deepPages = (of: Attacker): string => {
  const aliases = Array.from({ length: 29 }, (_, alias) => alias);
  const list = (alias: number) =>
    `p${alias}: devices(organizationId: "${of.organizationId}", sort: "-applicationCount", limit: 1, page: $p${alias}) { items { id } }`;
  const query = `query (${aliases.map((alias) => `$p${alias}: Int`).join(', ')}) { ${aliases.map(list).join(' ')} }`;
  return JSON.stringify(
    Array.from({ length: 20 }, (_, operation) => ({
      query,
      variables: Object.fromEntries(aliases.map((alias) => [`p${alias}`, 59_000 - operation * 29 - alias])),
    })),
  );
};
const mutations = (of: Attacker): string => {
  const fields = Array.from(
    { length: 30 },
    (_, index) => `m${index}: createTeam(organizationId: $o, name: "T") { id }`,
  );
  const query = `mutation ($o: ID!) { ${fields.join(' ')} }`;
  return JSON.stringify(Array.from({ length: 20 }, () => ({ query, variables: { o: of.organizationId } })));
};
/** Registers 1,000 devices; the next body changes each of them. */
const puts = (of: Attacker, round: number): string => {
  const query =
    'mutation ($o: ID!, $devices: [DeviceInput!]!, $to: [ID!]) { putDevices(organizationId: $o, devices: $devices, linkTo: $to) { updated } }';
  const devices = Array.from({ length: 1000 }, (_, index) => ({
    serial: `b0-${index.toString(16)}`,
    name: `Freezer ${index}, round ${round}`,
    tags: [`round ${round}`, 'cold'],
  }));
  return JSON.stringify({ query, variables: { o: of.organizationId, devices, to: [of.applicationId] } });
};
const unended = async (text: string): Promise<Buffer> => {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  gzip.write(text);
  await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
  return Buffer.concat(chunks);
};
/**
 * Opens a connection that sends a request head, and a body if given, and waits until the service closes it, for at most
 * ten seconds.
 */
const hold = async ({ origin }: Attacker, head: string, body?: Buffer): Promise<void> => {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), localAddress: attackerAddress });
  socket.on('error', () => undefined).resume();
  socket.write(head);
  if (body) socket.write(body);
  await Promise.race([once(socket, 'close'), pause(10_000)]).catch(() => undefined);
  socket.destroy();
};
const headOf = (of: Attacker, length: number) =>
  `POST ${recordPath(of)} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${of.token}\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${length}\r\n\r\n`;
const socketHead =
  'GET /graphql HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n';

/** Opens twenty subscriptions on one connection, each with a different query, for ten seconds. */
const subscribe = async ({ origin, organizationId, applicationId, token }: Attacker): Promise<void> => {
  const url = `${origin.replace(/^http/, 'ws')}/graphql`;
  const client = createClient({ url, connectionParams: { authorization: `Bearer ${token}` } });
  const query = `subscription ($query: JSONObject) {
    recordReceived(organizationId: "${organizationId}", applicationId: "${applicationId}", query: $query) { records { id } } }`;
  const sink = { next: () => undefined, error: () => undefined, complete: () => undefined };
  for (let index = 0; index < 20; index += 1) {
    const value = `(a?){1,200}(a?){1,200}${index}`;
    client.subscribe({ query, variables: { query: { regexp: { 'data.status': { value } } } } }, sink);
  }
  await pause(10_000);
  await client.dispose();
};

/** Attacks by which a tenant could once harm others. During each attack, the attacker's hooks also filter and hang. */
export const attacks: Readonly<Record<string, Attack>> = {
  'queries slow to read': posting(2, searchPath, () => [searchOf(slowToRead)]),
  'records slow to read': posting(1, recordPath, ({ serials: [serial] }) => [
    `{"serial":"${serial}","data":{"n":1${'0'.repeat(59_998)}1}}`,
    `[{"serial":"${serial}","data":${objectOf(883_000)}}]`,
  ]),
  'compressed bodies of very many values': posting(
    1,
    recordPath,
    () => [gzipSync(`[1e400${',[]'.repeat(3_000_000)}]`), gzipSync(`[${'1e400,'.repeat(1_500_000)}1]`)],
    { ...json, 'content-encoding': 'gzip' },
  ),
  'pages by a count, deep': posting(
    2,
    () => '/graphql',
    (of) => [deepPages(of)],
  ),
  pipelines: posting(2, searchPath, () => [
    searchOf(Array.from({ length: 20 }, () => minutes(50_000, totals))),
    searchOf(Array.from({ length: 100 }, () => minutes(60_000, { deviation }))),
  ]),
  patterns: {
    workers: 8,
    async prepare(of) {
      const path = `/ddp/v1/organizations/${of.organizationId}/devices?q=${encodeURIComponent('(.*.*.*.*x){4}$')}`;
      const expression = { query: { regexp: { 'device.serial': { value: '(a?){1,200}(b?){1,200}<1-1000>' } } } };
      const searches = searchOf(Array.from({ length: 20 }, () => expression));
      return [() => send(of, path), () => send(of, searchPath(of), searches)];
    },
  },
  mutations: posting(
    2,
    () => '/graphql',
    (of) => [mutations(of)],
  ),
  'many devices put': posting(
    4,
    () => '/graphql',
    (of) => [puts(of, 1), puts(of, 2)],
  ),
  'records without end': posting(2, recordPath, (of) => [items(of, 1000)]),
  'bodies that never end': {
    workers: 200,
    async prepare(of) {
      const body = await unended(`[${' '.repeat(9.9 * 2 ** 20)}`);
      return [() => hold(of, headOf(of, body.length + 1), body)];
    },
  },
  // The maximum of subscriptions per token, over five connections.
  subscriptions: { workers: 5, prepare: async (of) => [() => subscribe(of)] },
  'sockets of nobody': { workers: 1000, prepare: async (of) => [() => hold(of, socketHead)] },
  'tokens of nobody': posting(4, recordPath, () => ['[]'], { ...json, authorization: 'Bearer nobody' }),
  ...doorAttacks,
  ...edgeAttacks,
};
