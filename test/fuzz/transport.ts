import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { json, mutated, soup } from './arbitrary.js';
import { type Family, type FuzzTarget, organization, statusOf } from './target.js';

/** Writes bytes to the HTTP port, and waits until the service closes the connection. */
const send = async ({ url }: FuzzTarget, bytes: Buffer): Promise<undefined> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined).resume();
  const over = once(socket, 'close');
  socket.end(bytes);
  await over;
};

const requestOf = (target: FuzzTarget): Buffer =>
  Buffer.from(
    `POST ${organization(target)}/records?verbose=true HTTP/1.1\r\nHost: fuzz\r\nConnection: close\r\nAuthorization: Bearer ${target.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
  );

/** Sends messages over a WebSocket, and waits until the service answers a ping or closes it. */
const say = async ({ url, token }: FuzzTarget, messages: readonly (string | Buffer)[]): Promise<undefined> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined);
  const over = once(socket, 'close');
  await Promise.race([once(socket, 'open'), over]);
  const init = JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  for (const message of [init, ...messages]) socket.send(message, () => undefined);
  socket.ping(undefined, undefined, () => undefined);
  await Promise.race([once(socket, 'pong'), over]);
  socket.terminate();
  await over;
};

const subscribe = ({ organizationId, applicationId }: FuzzTarget, cursor: string): string =>
  JSON.stringify({
    id: '1',
    type: 'subscribe',
    payload: {
      query: `subscription ($after: String) {
        recordReceived(organizationId: "${organizationId}", applicationId: "${applicationId}", after: $after) { cursor } }`,
      variables: { after: cursor },
    },
  });

/** Parsers of connection bytes, before the service reads any body. */
export const transportFamilies: readonly Family[] = [
  {
    name: 'bytes of HTTP',
    cases: fc
      .infiniteStream(fc.tuple(fc.nat(400), fc.nat(8), fc.uint8Array({ maxLength: 6 }), fc.constantFrom(1, 1, 1, 1000)))
      .map((stream) => [...stream.take(3)])
      .map((changes) => (target) => {
        const bytes = changes.reduce<Buffer>(
          (text, [at, cut, put, times]) =>
            Buffer.concat([
              text.subarray(0, at),
              ...Array.from({ length: times }, () => Buffer.from(put)),
              text.subarray(at + cut),
            ]),
          requestOf(target),
        );
        return send(target, bytes);
      }),
  },
  {
    name: 'messages of WebSockets, cursors of subscriptions',
    cases: fc.tuple(json, json, mutated(Buffer.from('{"type":"ping","payload":{"a":[1]}}'))).map(
      ([message, cursor, bytes]) =>
        (target) =>
          say(target, [
            subscribe(target, cursor),
            subscribe(target, Buffer.from(cursor).toString('base64url')),
            message,
            bytes,
          ]),
    ),
  },
  {
    name: 'addresses and cookies of signing in',
    cases: fc
      .tuple(
        fc.constantFrom('start', 'callback', 'link', 'invitation', 'session'),
        soup('token=', 'state=', 'code=', 'returnTo=//', 'provider=', '1e9', '&', '%00', '%ff', 'a', '='),
        soup('ddp-session=', 'ddp-browser=', '__Host-', ';', '"', 'a', '=', ' '),
      )
      .map(
        ([path, query, cookie]) =>
          (target) =>
            statusOf(target, `/auth/${path}?${query.slice(0, 4000)}`, { headers: { cookie: cookie.slice(0, 4000) } }),
      ),
  },
];
