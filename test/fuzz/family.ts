import { once } from 'node:events';
import { connect } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { dataPage, parquetFile, prefixed } from '../imports/parquet-file.js';
import { json, mutated, packed, repeated, soup } from './arbitrary.js';
import { senderFamilies } from './sender.js';
import { application, call, engine, type Family, type FuzzTarget, organization, statusOf } from './target.js';
import { transportFamilies } from './transport.js';

/** Sends a file, waits for its dry run, and deletes it. */
const importFile = async (target: FuzzTarget, type: string, body: Buffer, kind = 'records'): Promise<number> => {
  const at = `${organization(target)}/imports`;
  const sent = { method: 'POST', body, headers: { 'content-type': type } } as const;
  const { status, text } = await call(target, `${at}/${kind}`, sent);
  if (status !== 200) return status;
  const { id } = JSON.parse(text) as { id: string };
  for (;;) {
    const found = await call(target, `${at}/${id}`);
    if (found.status !== 200) return found.status;
    if ((JSON.parse(found.text) as { state: string }).state !== 'checking') break;
  }
  return statusOf(target, `${at}/${id}`, { method: 'DELETE' });
};

/** Writes bytes to the MQTT endpoint, and waits until the endpoint answers a ping or closes the connection. */
const publish = async ({ mqttUrl, deviceToken }: FuzzTarget, packets: Buffer): Promise<undefined> => {
  const { hostname, port } = new URL(mqttUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const over = once(socket, 'close');
  socket.on('error', () => undefined);
  const user = Buffer.from(deviceToken);
  const body = Buffer.concat([
    Buffer.from('00044d5154540482003c', 'hex'),
    Buffer.from([0, 1, 102, user.length >> 8, user.length & 255]),
    user,
  ]);
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  socket.write(Buffer.concat([Buffer.from([0x10, ...length]), body]));
  await Promise.race([once(socket, 'data'), over]);
  socket.write(packets);
  socket.end(Buffer.from('c000e000', 'hex'));
  socket.resume();
  await over;
};

const text = (value: string): Buffer => prefixed(Buffer.from(value));
const parquet = parquetFile(1, [
  { name: 'serial', pages: [dataPage(1, text('f0-01'))], isRequired: true },
  { name: 'ts', pages: [dataPage(1, text('2024-05-01T12:00:00Z'))], isRequired: true },
  { name: 'level', pages: [dataPage(1, text('1.5'))], isRequired: true },
]);

const queries = fc.oneof(
  soup('(', 'a?', '|', '{1,99}', '*', '.', '[a-', ']', '<1-9>', '~', '\\', '&', '@').map((value) => ({
    regexp: { 'data.txt': { value } },
  })),
  soup('*', '?', 'a', '\\').map((value) => ({ wildcard: { 'data.txt': { value } } })),
  soup('*', '.', 'data', 'a', '\\').map((field) => ({ multi_match: { query: 'a', fields: [field.slice(0, 2000)] } })),
  soup('(', ')', 'a', ' OR ', ' AND ', '"', '*:', '/', '[1 TO ', '}', '~', '^', '\\', '!').map((query) => ({
    query_string: { query },
  })),
  soup('(', ')', 'a ', '"', '|', '+', '-', '~2', '*').map((query) => ({ simple_query_string: { query } })),
  fc
    .tuple(soup('1', 'T', ':', '||', '+1d', '/M', 'x', 'now'), soup('yyyy', 'd', 'H', "'", 'x', 'epoch_'))
    .map(([gte, format]) => ({ range: { ts: { gte, format } } })),
);

/** Identifiers and cursors of every kind: genuine, changed or invented. */
const cursorOf = (genuine: (target: FuzzTarget) => string): Arbitrary<(target: FuzzTarget) => string> =>
  fc.oneof(
    fc.tuple(fc.nat(90), fc.string({ maxLength: 3 })).map(([at, put]) => (target: FuzzTarget) => {
      const id = genuine(target);
      return id.slice(0, at) + put + id.slice(at + 1);
    }),
    json.map((value) => () => Buffer.from(value).toString('base64url')),
    json.map((value) => () => deflateRawSync(value.repeat(100)).toString('base64url')),
    fc.base64String().map((value) => () => value),
    fc.constant(genuine),
  );

/** A valid document, before it is mutated. */
const document = '{ viewer { __typename } __type(name: "Device") { name fields { name type { name } } } }';

const scripts = fc.oneof(
  soup('(', ')', 'params.c', '+', '/', '-', '1', 'Math.max(', ',', '?', ':', '&&', '!', '1e9'),
  soup(' + 1', ' / params.c', ' * (params.c - 2)', ' - -1', ' ? 1 : 0').map((rest) => `params.c${rest}`),
  repeated('-', '(', '!').map((before) => `${before}params.c`),
);

/** Every family of parsers that reads bytes of callers. */
export const families: readonly Family[] = [
  ...transportFamilies,
  ...senderFamilies,
  {
    name: 'JSON of bodies, compressed or not',
    cases: fc
      .oneof(
        json,
        json.map((value) => `{"serial":"f0-01","data":{"n":1,"x":${value}}}`),
      )
      .chain((value) => packed(value))
      .map(
        ([body, headers]) =>
          (target) =>
            statusOf(target, `${organization(target)}/records`, { method: 'POST', body, headers }),
      ),
  },
  {
    name: 'query parameters and headers',
    cases: fc
      .tuple(soup('q=', 'a', '&', '%', '%00', '%ff', 'sort=-', 'page=9', 'limit=', '(.*', '[]', '='), json)
      .map(([query, value]) => (target) => {
        const safe = value.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 6000);
        const headers = {
          'idempotency-key': safe,
          traceparent: safe,
          'x-opaque-id': safe,
          cookie: safe,
          accept: safe,
          'content-type': safe,
          origin: safe,
        };
        return statusOf(target, `${organization(target)}/devices?${encodeURI(query).slice(0, 6000)}`, { headers });
      }),
  },
  {
    name: 'packets of MQTT',
    cases: fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => (target: FuzzTarget) => publish(target, Buffer.from(bytes))),
      mutated(Buffer.from('3206000161000178820600020001610001c000', 'hex')).map(
        (bytes) => (target: FuzzTarget) => publish(target, bytes),
      ),
    ),
  },
  {
    name: 'topics of MQTT',
    cases: fc
      .tuple(fc.constantFrom(0x30, 0x82), soup('/', '#', '+', 'ddp', 'frames', '1', 'BIN', '\0', 'é'))
      .map(([kind, name]) => (target) => {
        const topic = Buffer.from(name).subarray(0, 10_000);
        const head = kind === 0x82 ? Buffer.from([0, 1]) : Buffer.alloc(0);
        const written = Buffer.concat([
          head,
          Buffer.from([topic.length >> 8, topic.length & 255]),
          topic,
          Buffer.from([0]),
        ]);
        const length = Buffer.from([(written.length & 127) | 128, written.length >> 7]);
        return publish(target, Buffer.concat([Buffer.from([kind]), length, written]));
      }),
  },
  {
    name: 'files of CSV',
    share: 4,
    cases: soup('serial,ts,data.a\n', '"', ',', '\r\n', 'ff', '1', ';', '""', '\0', 'data.x,').map(
      (value) => (target) => importFile(target, 'text/csv', Buffer.from(value)),
    ),
  },
  {
    name: 'files of devices',
    share: 4,
    cases: soup('serial,name,tags,location\n', 'ff', '"', ',', '\r\n', ';', '1 2', '""', '\0', 'productId,').map(
      (value) => (target) => importFile(target, 'text/csv', Buffer.from(value), 'devices'),
    ),
  },
  {
    name: 'files of NDJSON',
    share: 4,
    cases: fc
      .array(json, { maxLength: 5 })
      .map((lines) => (target) => importFile(target, 'application/x-ndjson', Buffer.from(lines.join('\n')))),
  },
  {
    name: 'files of Parquet',
    share: 2,
    cases: mutated(parquet).map((bytes) => (target) => importFile(target, 'application/vnd.apache.parquet', bytes)),
  },
  {
    name: 'identifiers of scrolls and points in time',
    cases: fc
      .tuple(
        cursorOf(({ scrollId }) => scrollId),
        cursorOf(({ pitId }) => pitId),
      )
      .map(([scroll, pit]) => async (target) => {
        const all = { method: 'DELETE', body: { scroll_id: [scroll(target), scroll(target)] } } as const;
        await statusOf(target, `${engine(target)}/_search/scroll`, all);
        const next = { method: 'POST', body: { scroll_id: scroll(target) } } as const;
        const status = await statusOf(target, `${engine(target)}/_search/scroll`, next);
        const within = { method: 'POST', body: { size: 1, pit: { id: pit(target) } } } as const;
        return status === 500 ? status : statusOf(target, `${engine(target)}/_search`, within);
      }),
  },
  {
    name: 'cursors of lists and exports',
    cases: cursorOf(({ endCursor }) => endCursor).map((make) => async (target) => {
      const after = make(target);
      const query = `query ($o: ID!, $a: ID!, $after: String) {
        application(organizationId: $o, applicationId: $a) {
          records(after: $after) { items { id } } devicesConnection(first: 1, after: $after) { nodes { id } } } }`;
      const variables = { o: target.organizationId, a: target.applicationId, after };
      const { text: answer } = await call(target, '/graphql', { method: 'POST', body: { query, variables } });
      if (answer.includes('"INTERNAL"')) return 500;
      return statusOf(target, `${application(target)}/export?after=${encodeURIComponent(after).slice(0, 4000)}`);
    }),
  },
  {
    name: 'queries, patterns and dates',
    cases: queries.map(
      (query) => (target) =>
        statusOf(target, `${engine(target)}/_search`, { method: 'POST', body: { size: 1, query } }),
    ),
  },
  {
    name: 'scripts and formats of numbers',
    cases: fc
      .oneof(
        scripts.map((script) => ({ script, format: '0' })),
        soup('#', ',', '0', '.', '%', '-').map((format) => ({ script: 'params.c', format })),
        soup('#', "'", '0', 'E', ';', 'x').map((format) => ({ script: 'params.c', format })),
      )
      .map(({ script, format }) => (target) => {
        const inner = {
          s: { sum: { field: 'data.n', format } },
          p: { bucket_script: { buckets_path: { c: '_count' }, script } },
        };
        const aggs = { h: { histogram: { field: 'data.n', interval: 1 }, aggs: inner } };
        return statusOf(target, `${engine(target)}/_search`, { method: 'POST', body: { size: 0, aggs } });
      }),
  },
  {
    name: 'documents of GraphQL',
    cases: fc
      .oneof(
        mutated(Buffer.from(document)).map((bytes) => bytes.toString()),
        soup(
          '{',
          '}',
          ' viewer ',
          '...',
          '@skip(if: true)',
          '(',
          ')',
          ' a: ',
          '[',
          '"""',
          ' fragment x on Query ',
          ' query ',
        ),
      )
      .map((query) => (target) => statusOf(target, '/graphql', { method: 'POST', body: { query } })),
  },
  {
    name: 'filter_path',
    cases: soup('*', '**', '.', ',', 'hits', '-', 'a').map(
      (value) => (target) => statusOf(target, `${engine(target)}/_search?filter_path=${value.slice(0, 7500)}`),
    ),
  },
  {
    name: 'frames of devices',
    cases: fc
      .tuple(
        fc.constantFrom('BIN', 'RAW', 'TXT'),
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          repeated('1;', '\u0001', '\ufffd').map((value) => Buffer.from(value)),
        ),
      )
      .map(([streamType, bytes]) => (target) => {
        const frame = { streamId: 1, streamType, payload: Buffer.from(bytes).toString('hex'), encoding: 'hex' };
        return statusOf(target, `${organization(target)}/records`, {
          method: 'POST',
          body: { serial: target.serial, frame },
        });
      }),
  },
  {
    name: 'columns of an export',
    cases: soup('.', 'data', 'a', ',', 'device', 'ts', '*').map(
      (value) => (target) =>
        statusOf(target, `${application(target)}/export?columns=${encodeURIComponent(value).slice(0, 6000)}`),
    ),
  },
];
