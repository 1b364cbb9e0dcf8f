import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { Role } from '#entities/enums.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { type AccountActor, useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser } from '../browser.js';

/** The service's addresses and objects that the page attacks. */
interface Targets {
  service: string;
  organization: string;
  /** Another organization of the signed-in person. */
  other: string;
  /** Token of an invitation's link, and of a link that signs another person in. */
  invitation: string;
  link: string;
}

type Attempt = (page: Page, targets: Targets) => Promise<unknown>;

const mutation = ({ organization }: Targets) =>
  `mutation { createTeam(organizationId: "${organization}", name: "Planted") { id } }`;
const query = ({ organization }: Targets) => `{ devices(organizationId: "${organization}") { items { id } } }`;
const subscription = ({ organization }: Targets) =>
  `subscription { devicesChanged(organizationId: "${organization}") { __typename } }`;
const byAddress = ({ service }: Targets, text: string) => `${service}/graphql?query=${encodeURIComponent(text)}`;
const download = ({ service, organization }: Targets) =>
  `${service}/ddp/v1/organizations/${organization}/export?of=devices`;

/** Submits a form. The browser then shows the answer instead of the page. */
const submit = async (page: Page, action: string, { name = '', value = '' } = {}) => {
  const opened = page.waitForURL(action, { waitUntil: 'commit' });
  // The test does not await this, because the page may close before the answer arrives.
  page
    .evaluate(
      (form) => {
        const element = document.createElement('form');
        Object.assign(element, { method: 'post', action: form.action, enctype: 'text/plain' });
        const input = document.createElement('input');
        Object.assign(input, { name: form.name, value: form.value });
        element.append(input);
        document.body.append(element);
        element.submit();
      },
      { action, name, value },
    )
    .catch(() => undefined);
  await opened;
};

interface Call {
  method?: string;
  mode?: 'no-cors';
  headers?: Record<string, string>;
  body?: string;
}

/** Fetches with the browser's cookies, and returns the part of the answer that the page can read. */
const fetches = (page: Page, url: string, options: Call = {}) =>
  page.evaluate(
    (call) =>
      fetch(call.url, { credentials: 'include', ...call.options }).then(
        async (answer) => `${answer.status} ${(await answer.text()).slice(0, 20)}`,
        () => 'blocked',
      ),
    { url, options },
  );
const opaque = { mode: 'no-cors' } as const;
const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
const plain = { ...opaque, method: 'POST' };

/** Loads an element such as an image, and returns the name of the event that ends loading. */
const loads = (page: Page, tag: string, src: string) =>
  page.evaluate(
    (element) =>
      new Promise((resolve) => {
        const made = Object.assign(document.createElement(element.tag), { src: element.src });
        made.addEventListener('load', () => resolve('load'));
        made.addEventListener('error', () => resolve('error'));
        document.body.append(made);
      }),
    { tag, src },
  );

const opensSocket = (page: Page, { service }: Targets) =>
  page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, 'graphql-transport-ws');
        socket.addEventListener('open', () => socket.send('{"type":"connection_init"}'));
        socket.addEventListener('message', ({ data }) => resolve((JSON.parse(String(data)) as { type: string }).type));
        socket.addEventListener('close', ({ code }) => resolve(`${code}`));
      }),
    `${service.replace('http', 'ws')}/graphql`,
  );

const streams = (page: Page, url: string) =>
  page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const source = new EventSource(address, { withCredentials: true });
        source.addEventListener('open', () => resolve('open'));
        source.addEventListener('error', () => resolve('error'));
      }),
    url,
  );

/**
 * Attempts by the page. Each has the result that the page sees, and the number of its requests that reach the service
 * (by default one).
 */
const attempts: Record<string, [attempt: Attempt, heard?: unknown, requests?: number]> = {
  'a form that posts a mutation': [
    (page, targets) => {
      // The body is JSON that ends in an ignored property: {"query":"...","x":"="}
      const name = `${JSON.stringify({ query: mutation(targets) }).slice(0, -1)},"x":"`;
      return submit(page, `${targets.service}/graphql`, { name, value: '"}' });
    },
  ],
  'a form that posts to /auth/sign-out': [(page, { service }) => submit(page, `${service}/auth/sign-out`)],
  'a form that posts to /auth/organization': [
    (page, { service, other }) => submit(page, `${service}/auth/organization?organizationId=${other}`),
  ],
  'a form that posts to /auth/leave': [
    (page, { service, organization }) => submit(page, `${service}/auth/leave?organizationId=${organization}`),
  ],
  'a form that accepts an invitation': [
    (page, { service, invitation }) => submit(page, `${service}/auth/invitation?token=${invitation}`),
  ],
  'a form that signs another person in': [
    (page, { service, link }) => submit(page, `${service}/auth/link?token=${link}`),
  ],
  'a form that posts to a download': [(page, targets) => submit(page, download(targets))],
  'fetch of a mutation as JSON': [
    (page, targets) =>
      fetches(page, `${targets.service}/graphql`, { ...json, body: JSON.stringify({ query: mutation(targets) }) }),
    'blocked',
    0,
  ],
  'fetch of a mutation as text': [
    (page, targets) =>
      fetches(page, `${targets.service}/graphql`, { ...plain, body: JSON.stringify({ query: mutation(targets) }) }),
    '0 ',
  ],
  'fetch of a mutation by GET': [(page, targets) => fetches(page, byAddress(targets, mutation(targets)), opaque), '0 '],
  'fetch of a query by GET': [(page, targets) => fetches(page, byAddress(targets, query(targets)), opaque), '0 '],
  'fetch of a download': [(page, targets) => fetches(page, download(targets), opaque), '0 '],
  'fetch of a download that it would read': [(page, targets) => fetches(page, download(targets)), 'blocked'],
  'fetch of /auth/sign-out': [(page, { service }) => fetches(page, `${service}/auth/sign-out`, plain), '0 '],
  'fetch of /auth/organization': [
    (page, { service, other }) => fetches(page, `${service}/auth/organization?organizationId=${other}`, plain),
    '0 ',
  ],
  'an image of a mutation': [(page, targets) => loads(page, 'img', byAddress(targets, mutation(targets))), 'error'],
  'an image of /auth/sign-out': [(page, { service }) => loads(page, 'img', `${service}/auth/sign-out`), 'error'],
  'an image of a download': [(page, targets) => loads(page, 'img', download(targets)), 'error'],
  'a script of a query': [(page, targets) => loads(page, 'script', byAddress(targets, query(targets))), 'error'],
  'an event stream': [(page, targets) => streams(page, byAddress(targets, subscription(targets))), 'error'],
  'a WebSocket': [opensSocket, expect.stringMatching(/^440[13]$/)],
};

/** A request that reached the service, and its answer. */
interface Reached {
  hasCookie: boolean;
  status: number | 'socket';
}

/** Creates a proxy that records each request, because browsers do not report all of them to a test. */
const createProxy = (to: () => URL, reached: Reached[]): Server => {
  const hasSession = (cookie = '') => cookie.includes('ddp-session-');
  return createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forwarded = request(new URL(path!, to()), { method, headers, agent: false }, (answer) => {
      const isPreflight = method === 'OPTIONS';
      if (!isPreflight && path !== '/favicon.ico')
        reached.push({ hasCookie: hasSession(headers.cookie), status: answer.statusCode! });
      answer.pipe(outgoing.writeHead(answer.statusCode!, answer.rawHeaders));
    });
    outgoing.on('close', () => forwarded.destroy());
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  }).on('upgrade', ({ method, url: path, rawHeaders, headers }, socket, head) => {
    const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    const forwarded = connect(Number(to().port), to().hostname);
    forwarded.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`);
    forwarded.write(head);
    socket.pipe(forwarded).pipe(socket);
    for (const each of [socket, forwarded]) each.on('error', () => each.destroy());
    reached.push({ hasCookie: hasSession(headers.cookie), status: 'socket' });
  });
};

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

describeInBrowser('a page of another origin before a signed-in person', () => {
  const world = useWorld();
  const browser = useBrowser();
  const reached: Reached[] = [];
  const proxy = createProxy(() => new URL(world.url), reached);
  const evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title><body>');
  });
  let port: number;
  let context: BrowserContext;
  let owner: AccountActor;
  let targets: Targets;

  beforeAll(async () => {
    port = await listen(evil);
    const service = `http://127.0.0.1:${await listen(proxy)}`;
    owner = await world.organization();
    const [other, third] = [await world.organization(), await world.organization()];
    const member = await world.member(owner, Role.owner);
    // With another owner, the person may leave the organization.
    await world.member(owner, Role.owner);
    await other.put(`/organizations/${other.id}/members/${member.id}`, {});
    const { body } = await third.graph(
      `mutation ($id: ID!) { createInvitation(organizationId: $id, email: "ada@example.com", role: member) { url } }`,
      { id: third.id },
    );
    const url = new URL(body.data!['createInvitation'].url as string);
    const linkOf = async (id: string) => (await createSignInLink(world.pool, id, new Date())).token;
    targets = {
      service,
      organization: owner.id,
      other: other.id,
      invitation: url.searchParams.get('token')!,
      link: await linkOf((await world.member(other, Role.member)).id),
    };
    const opened = await browser.open(`${service}/auth/link?token=${await linkOf(member.id)}`);
    context = opened.context;
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The console's own requests must not reach the service during the first attempt.
    await opened.page.waitForLoadState('networkidle');
    await opened.page.close();
  });

  afterAll(() => {
    for (const server of [evil, proxy]) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** Returns the state that an attempt could change. */
  const stateOf = async () => {
    const ids = [targets.organization, targets.other];
    const { rows } = await world.pool.query(
      `select (select count(*) from team where organization_id = any($1)) as teams,
              (select count(*) from audit_event where organization_id = any($1)) as events,
              (select json_agg(m order by m.organization_id, m.user_id) from membership m where organization_id = any($1)) as members,
              (select json_agg(json_build_array(id, organization_id) order by id) from session where organization_id = any($1)) as sessions,
              (select count(*) from invitation) as invitations, (select count(*) from sign_in_link) as links`,
      [ids],
    );
    return rows[0] as object;
  };

  /** Opens a page and makes the attempt from it. Returns the result that the page sees. */
  const tryFrom = async (origin: string, attempt: Attempt) => {
    const page = await context.newPage();
    await page.goto(origin);
    const heard = await attempt(page, targets);
    // The test does not await this: after a form has led to another site, the page may never report that it closed.
    page.close().catch(() => undefined);
    return heard;
  };

  describe.each([
    // Cookies ignore ports, so browsers send them, and only the service can refuse the request.
    ['on another port', '127.0.0.1', true],
    ['of another site', 'localhost', false],
  ])('%s', (_name, host, sendsCookie) => {
    it.each(Object.entries(attempts))('fails to act by %s', async (_title, [attempt, expected, requests = 1]) => {
      const before = await stateOf();
      reached.length = 0;
      expect(await tryFrom(`http://${host}:${port}/`, attempt)).toEqual(expected);
      expect(reached.map(({ hasCookie }) => hasCookie)).toEqual(Array.from({ length: requests }, () => sendsCookie));
      expect(reached.filter(({ status }) => status !== 'socket' && status < 400)).toEqual([]);
      expect(await stateOf()).toEqual(before);
    });
  });

  it('leaves the same to pages of the service, in each of these ways', async () => {
    const page = await context.newPage();
    const { service, organization, other } = targets;
    await page.goto(`${service}/console/`);
    const post = (path: string) => fetches(page, `${service}${path}`, { method: 'POST' });
    const created = fetches(page, `${service}/graphql`, {
      ...json,
      body: JSON.stringify({ query: mutation(targets) }),
    });
    expect(await created).toBe('200 {"data":{"createTeam');
    const read = () =>
      fetches(page, byAddress(targets, query(targets)), { headers: { 'apollo-require-preflight': '1' } });
    expect(await read()).toBe('200 {"data":{"devices":{');
    expect(await fetches(page, download(targets))).toMatch(/^200 id,/);
    expect(await opensSocket(page, targets)).toBe('connection_ack');
    expect(await streams(page, byAddress(targets, subscription(targets)))).toBe('open');
    expect(await post(`/auth/organization?organizationId=${other}`)).toBe('204 ');
    expect(await post(`/auth/organization?organizationId=${organization}`)).toBe('204 ');
    expect(await post('/auth/sign-out')).toBe('204 ');
    expect(await read()).toMatch(/^401/);
  });
});
