import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import { Provider } from 'oidc-provider';
import { changeToken, newKey, publicOf, secretOf, signed } from '../../scripts/forge.js';
import { Visitor } from './visitor.js';

/** Claims of the ID token about the person. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string };

/** A provider of OpenID Connect in this process, on loopback. */
export interface TestProvider {
  readonly issuer: string;
  /** The person that the provider names at the next sign-in. */
  person: Claims;
  /** Changes the claims of ID tokens. The provider's key then signs them again. */
  forge: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Switches to a new signing key, which replaces the old one in the published key set unless `published` is false. */
  rotate(published?: boolean): void;
  /** Bodies that replace the provider's answers to the service, by path. */
  intercept: Map<string, string>;
  /** Number of requests so far, by path. */
  asked: Map<string, number>;
  /** Requests of these paths are answered once their promise resolves. */
  hold: Map<string, Promise<void>>;
}

export const client = { id: 'ddp', secret: 'a secret of the client' };

/** Starts a provider before the tests of the file. @param callbacks gives the addresses that it sends people back to */
export function useProvider(): TestProvider {
  let server: Server;
  let base = '';
  let key = newKey(1);
  let keys = [key];
  const state: TestProvider = {
    get issuer() {
      return base;
    },
    person: { sub: 'nobody' },
    forge: undefined,
    rotate(published = true) {
      key = newKey(keys.length + 1);
      keys = published ? [key] : keys;
    },
    intercept: new Map(),
    asked: new Map(),
    hold: new Map(),
  };
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(base, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: ['http://127.0.0.1/auth/callback'],
          application_type: 'native',
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      jwks: { keys: [secretOf(key)] },
      claims: { email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
      features: { devInteractions: { enabled: false } },
      cookies: { keys: ['a key for tests'] },
      conformIdTokenClaims: false,
      findAccount: (_ctx: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...state.person, sub }) }),
      interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    });
    const handle = provider.callback();
    server.on('request', (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0]!;
      state.asked.set(path, (state.asked.get(path) ?? 0) + 1);
      void (state.hold.get(path) ?? Promise.resolve()).then(() => answer(path, request, response));
    });
    const answer = (path: string, request: IncomingMessage, response: ServerResponse) => {
      const instead = state.intercept.get(path);
      if (instead !== undefined) return void response.setHeader('content-type', 'application/json').end(instead);
      if (path.startsWith('/interaction/')) return void consent(provider, state.person.sub, request, response);
      if (path === '/jwks') {
        const body = JSON.stringify({ keys: keys.map(publicOf) });
        return void response.setHeader('content-type', 'application/json').end(body);
      }
      if (path === '/token') changeToken(response, (claims) => signed(state.forge?.(claims) ?? claims, key));
      handle(request, response);
    };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return state;
}

/** Signs the person in and grants the requested scopes, as the provider's own pages would. */
async function consent(
  provider: Provider,
  accountId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId, clientId: params['client_id'] as string });
  grant.addOIDCScope('openid profile email');
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } });
}

/** Follows the redirects to the provider and back. Returns the address of the callback without requesting it. */
export async function callbackOf(
  provider: TestProvider,
  visitor: Visitor,
  start = '/auth/start?provider=1',
): Promise<string> {
  let { headers, status } = await visitor.get(start);
  const elsewhere = new Visitor(provider.issuer);
  for (let steps = 0; steps < 6; steps++) {
    const to = new URL(String(headers.location), provider.issuer);
    if (to.pathname === '/auth/callback') return `${to.pathname}${to.search}`;
    // The service sends the browser to its public name, where a proxy would lead to the same service.
    if (to.pathname === '/auth/start') {
      ({ headers, status } = await visitor.get(`${to.pathname}${to.search}`));
      continue;
    }
    ({ headers, status } = await elsewhere.get(to.href));
  }
  throw new Error(`The provider answered ${status}.`);
}
