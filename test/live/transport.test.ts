import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { CloseCode } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startTestService } from '../support/start-service.js';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, codeOf, type LiveWorld } from './live-world.js';
import { listenTo, overEvents, overSocket, socketClient } from './subscriber.js';

const world = useWorld({ config: { live: { perProcess: 6, perToken: 4, perConnection: 2 } } });

const open = async (origin = world.url) => {
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  return socket;
};
const closed = async (socket: WebSocket) => ((await once(socket, 'close')) as [number])[0];

const post = (place: LiveWorld, body: unknown, accept: string) =>
  fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.owner.token}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });

describe('subscriptions over WebSocket', () => {
  it('accepts the token in the header of the request', async () => {
    const place = await buildLiveWorld(world);
    class WithHeader extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { headers: { authorization: `Bearer ${place.owner.token}` } });
      }
    }
    const { createClient } = await import('graphql-ws');
    const client = createClient({ url: `${world.url.replace(/^http/, 'ws')}/graphql`, webSocketImpl: WithHeader });
    const subscriber = listenTo((sink) => client.subscribe(place.records(), sink));
    await subscriber.until(begun);
    expect(subscriber.results).toEqual([{ data: { recordReceived: { missed: 0, records: [] } } }]);
    subscriber.leave();
  });

  it.each([
    ['no token', undefined],
    ['an unknown token', `ddp_${'x'.repeat(43)}`],
  ])('closes with 4401 for %s', async (_name, token) => {
    const place = await buildLiveWorld(world);
    const subscriber = overSocket(world.url, token, place.records());
    await subscriber.until(({ over }) => over);
    expect(subscriber.fault).toMatchObject({ code: CloseCode.Unauthorized });
  });

  it('closes with 4408 when the client does not authenticate', async () => {
    expect(await closed(await open())).toBe(CloseCode.ConnectionInitialisationTimeout);
  });

  it('closes with 1009 for a message over 256 KiB', async () => {
    const socket = await open();
    socket.send(JSON.stringify({ type: 'connection_init', payload: { filler: 'x'.repeat(257 * 1024) } }));
    expect(await closed(socket)).toBe(1009);
  });

  it('closes with 4400 for an invalid message', async () => {
    const socket = await open();
    socket.send('hello');
    expect(await closed(socket)).toBe(CloseCode.BadRequest);
  });

  it('ignores upgrade requests for other protocols and paths', async () => {
    const call = request(`${world.url}/healthz`, { agent: false, headers: { connection: 'upgrade', upgrade: 'h2c' } });
    const [answer] = (await once(call.end(), 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
    const elsewhere = new WebSocket(`${world.url.replace(/^http/, 'ws')}/ddp/v1/account`);
    const [error] = (await once(elsewhere, 'error')) as [Error];
    expect(error.message).toContain('401');
  });

  it('returns RATE_LIMITED beyond the limits of a connection, a token and the process', async () => {
    const place = await buildLiveWorld(world);
    const stranger = await buildLiveWorld(world);
    const clients = [socketClient(world.url, place.owner.token), socketClient(world.url, place.owner.token)];
    const listen = (client: (typeof clients)[number], of: LiveWorld) =>
      listenTo((sink) => client.subscribe(of.records(), sink));
    const [first, second] = [listen(clients[0]!, place), listen(clients[0]!, place)];
    for (const subscriber of [first, second]) await subscriber.until(begun);
    const third = listen(clients[0]!, place);
    await third.until(({ over }) => over);
    expect(third.fault[0].message).toBe('This connection has 2 subscriptions, which is the maximum. End one first.');
    expect(codeOf(third)).toBe('RATE_LIMITED');

    const more = [listen(clients[1]!, place), listen(clients[1]!, place)];
    for (const subscriber of more) await subscriber.until(begun);
    const fifth = overEvents(world.url, place.owner.token, place.records());
    await fifth.until(({ over }) => over);
    expect(fifth.results[0]!.errors![0]!.message).toBe(
      'This token has 4 subscriptions, which is the maximum. End one first.',
    );

    const others = [0, 1].map(() => overEvents(world.url, stranger.owner.token, stranger.records()));
    for (const subscriber of others) await subscriber.until(begun);
    const seventh = overEvents(world.url, stranger.owner.token, stranger.records());
    await seventh.until(({ over }) => over);
    expect(codeOf(seventh)).toBe('UNAVAILABLE');

    // A subscription that ends frees its slot.
    first.leave();
    await first.until(({ over }) => over);
    const again = listen(clients[0]!, place);
    await again.until(({ over, results }) => over || results.length > 0);
    expect(again.over).toBe(false);
    for (const subscriber of [second, ...more, ...others, again]) subscriber.leave();
    for (const subscriber of [second, ...more, ...others, again]) await subscriber.until(({ over }) => over);
  });
});

describe('GraphQL operation that is not a subscription', () => {
  const query = '{ account { id } }';

  it('fails with MALFORMED_REQUEST over WebSocket', async () => {
    const place = await buildLiveWorld(world);
    const subscriber = overSocket(world.url, place.owner.token, { query });
    await subscriber.until(({ over }) => over);
    expect(codeOf(subscriber)).toBe('MALFORMED_REQUEST');
    expect(subscriber.fault[0].message).toContain('POST queries and mutations');
  });

  it('fails with MALFORMED_REQUEST as server-sent events, and succeeds when the client also accepts JSON', async () => {
    const place = await buildLiveWorld(world);
    const refused = await post(place, { query }, 'text/event-stream');
    expect([refused.status, (await refused.json()).errors[0].extensions.code]).toEqual([400, 'MALFORMED_REQUEST']);
    const answered = await post(place, { query }, 'application/json, text/event-stream');
    expect((await answered.json()).data.account.id).toBe(place.owner.id);
  });

  it('runs in a batch as JSON, while a subscription beside it fails', async () => {
    const place = await buildLiveWorld(world);
    const alone = await post(place, place.records(), 'application/json');
    const batch = await post(place, [place.records(), { query }], 'application/json');
    const error = {
      errors: [{ message: expect.stringContaining('text/event-stream'), extensions: { code: 'MALFORMED_REQUEST' } }],
    };
    expect(await alone.json()).toMatchObject(error);
    expect(await batch.json()).toMatchObject([error, { data: {} }]);
  });
});

describe.each([
  ['WebSocket', overSocket],
  ['server-sent events', overEvents],
])('subscriptions over %s', (_way, subscribe) => {
  const refusal = async (place: LiveWorld, query: string, variables: object = {}) => {
    const subscriber = subscribe(world.url, place.owner.token, { query, variables: { ...variables } });
    await subscriber.until(({ over }) => over);
    const [error] = subscriber.fault ?? subscriber.results[0]!.errors;
    return { code: error.extensions.code, message: error.message };
  };
  const received = ({ owner, applicationId }: LiveWorld, selection: string, more = '') =>
    `subscription { recordReceived(organizationId: "${owner.id}", applicationId: "${applicationId}"${more}) { ${selection} } }`;

  it('returns VALIDATION_FAILED beyond the limits of queries', async () => {
    const place = await buildLiveWorld(world);
    const deep = `subscription { deliveryUpdated(organizationId: "1", applicationId: "1", applicationHookId: "1") { deliveries { hook {
      ${'application { devices { items { '.repeat(3)} id ${'} } }'.repeat(3)} } } } }`;
    expect(await refusal(place, deep)).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('levels deep'),
    });
    const doubling = Array.from({ length: 25 }, (_, n) => {
      const next = n < 24 ? `...f${n + 1} ...f${n + 1}` : '';
      return `fragment f${n} on RecordEvent { missed ${next} }`;
    }).join(' ');
    expect(await refusal(place, `${received(place, '...f0')} ${doubling}`)).toEqual({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('67,108,863 selections'),
    });
    const many = Array.from({ length: 31 }, (_, n) => `a${n}: missed`).join(' ');
    expect(await refusal(place, received(place, many))).toMatchObject({
      message: expect.stringContaining('31 aliases'),
    });
    const dear = `subscription { deliveryUpdated(organizationId: "1", applicationId: "1", applicationHookId: "1", limit: 500) {
      deliveries { application { ${Array.from({ length: 26 }, (_, n) => `a${n}: devices(limit: 1000) { items { id } }`).join(' ')} } } } }`;
    expect(await refusal(place, dear)).toMatchObject({ message: expect.stringContaining('objects; at most 25,000') });
    const long = received(place, 'missed '.repeat(2100));
    expect(await refusal(place, long)).toMatchObject({ message: expect.stringContaining('at most 2,000') });
  });

  it('returns VALIDATION_FAILED with the reason for an invalid document or variable', async () => {
    const place = await buildLiveWorld(world);
    expect(await refusal(place, received(place, 'nonsense'))).toMatchObject({ code: 'VALIDATION_FAILED' });
    const typed = place.records().query.replace('$organizationId: ID!', '$organizationId: ID!, $n: Int!');
    expect(await refusal(place, typed, { n: 'x' })).toMatchObject({ code: 'VALIDATION_FAILED' });
    const many = { ...place.records().variables, limit: 501 };
    expect(await refusal(place, place.records().query, many)).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

it('ends every subscription without an error when the service stops', async () => {
  const place = await buildLiveWorld(world);
  const service = await startTestService(world.databaseUrl);
  const [sockets, events] = [overSocket, overEvents].map((way) => way(service.url, place.owner.token, place.records()));
  for (const subscriber of [sockets!, events!]) await subscriber.until(begun);
  // Opens this connection last, because the service closes a connection without authentication after three seconds.
  const goodbye = closed(await open(service.url));
  await service.close();
  for (const subscriber of [sockets!, events!]) await subscriber.until(({ over }) => over);
  expect([sockets!.fault, events!.fault]).toEqual([undefined, undefined]);
  expect(await goodbye).toBe(1001);
});

it('leaves REST without routes or schemas of subscriptions', async () => {
  const { owner } = await buildLiveWorld(world);
  for (const path of ['/webhook', '/webhook/1', '/recordReceived', '/delivery-updated']) {
    const { status } = await fetch(`${world.url}/ddp/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ subscription: 'recordReceived', url: 'http://127.0.0.1:9/', variables: {} }),
    });
    expect([path, status]).toEqual([path, 404]);
  }
  const document = JSON.stringify(await (await fetch(`${world.url}/ddp/v1/openapi.json`)).json());
  expect(document).not.toMatch(
    /webhook\b.*subscription|recordReceived|RecordsReceived|deliveryUpdated|DeliveriesUpdated/,
  );
});
