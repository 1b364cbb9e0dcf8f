import { type Dispatcher, request } from 'undici';
import { createSignInLink } from '#operator/sign-in-link.js';
import type { GraphAnswer } from '../support/actor.js';
import type { World } from '../support/world.js';

/** An answer. Its redirect, if any, was not followed. */
export interface Page {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Headers of a request. Undefined omits a header that is usually sent. */
type Headers = Readonly<Record<string, string | undefined>>;

/** A person with a browser: keeps cookies, and sends the headers that browsers send from pages of the service. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  /** The latest `Set-Cookie` header of each cookie. */
  readonly set = new Map<string, string>();

  constructor(
    private readonly origin: string,
    /** Headers of every request, such as those of a proxy. */
    private readonly usual: Headers = {},
  ) {}

  async send(method: string, path: string, headers: Headers = {}, body?: string): Promise<Page> {
    const url = new URL(path, this.origin);
    const isOurs = url.origin === this.origin;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all: Headers = {
      ...this.usual,
      ...(isOurs && cookie !== '' && { cookie }),
      ...(method === 'POST' && { origin: this.usual['origin'] ?? this.origin, 'sec-fetch-site': 'same-origin' }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >;
    const answer = await request(url, { method: method as Dispatcher.HttpMethod, headers: sent, body: body ?? null });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.set.set(name!, line);
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  get = (path: string, headers?: Headers): Promise<Page> => this.send('GET', path, headers);
  post = (path: string, headers?: Headers): Promise<Page> => this.send('POST', path, headers);

  /** Sends an operation to the graph, as the console does. */
  async graph(query: string, variables: object = {}, headers: Headers = {}) {
    const body = JSON.stringify({ query, variables });
    const { status, text } = await this.send(
      'POST',
      '/graphql',
      { 'content-type': 'application/json', ...headers },
      body,
    );
    return { status, body: JSON.parse(text) as GraphAnswer };
  }

  /** Returns the session, as the console requests it. */
  async session(): Promise<Session | null> {
    return (JSON.parse((await this.get('/auth/session')).text) as { session: Session | null }).session;
  }
}

export interface Session {
  userId: string;
  username: string;
  name: string | null;
  avatarURL: string;
  organizationId: string | null;
  organizations: { id: string; username: string; name: string | null; role: string }[];
}

/** Signs a user in by a link of the operator. */
export async function visitorOf(world: World, userId: string, usual?: Headers): Promise<Visitor> {
  const visitor = new Visitor(world.url, usual);
  const { token } = await createSignInLink(world.pool, userId, new Date());
  const { status, text } = await visitor.post(`/auth/link?token=${token}`);
  if (status !== 303) throw new Error(`The link answered ${status}: ${text}`);
  return visitor;
}
