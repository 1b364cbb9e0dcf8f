import * as oidc from 'openid-client';
import { type OidcProviderSettings, oidcSettingName } from '#config/oidc-setting.js';
import { type Claims, claimsOf } from './claims.js';
import { notSetUp, SignInRefusal, signInRefusalOf } from './refusal.js';

/** Seconds that a provider may take to answer one request. */
const timeout = 10;
/** Time for which a provider's metadata is kept, in milliseconds. */
const kept = 600_000;
/** Seconds by which the clock of a provider may differ from ours. */
const tolerance = 30;

/** Values that check a sign-in when the person comes back. */
export interface AuthorizationChecks {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

/** The client of a provider by which people sign in: sends them there, exchanges codes and verifies ID tokens. */
export interface OidcClient {
  /**
   * The address that a browser is sent to.
   * @throws SignInRefusal
   */
  addressFor(checks: AuthorizationChecks): Promise<URL>;
  /**
   * Exchanges the code of a callback for the person.
   * @param query of the callback's address
   * @throws SignInRefusal if the provider refuses the sign-in, or its answer fails a check
   */
  exchange(query: string, checks: AuthorizationChecks): Promise<Claims>;
  /**
   * Reads the provider's metadata and keys, and checks that it accepts the client.
   * @throws SignInRefusal if they cannot be had, or do not fit the settings
   */
  examine(): Promise<void>;
}

/** Opens the client of a provider. The provider gets its first request when a person signs in. */
export function openOidcClient(settings: OidcProviderSettings): OidcClient {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  const extensions = [...(isPlain ? [oidc.allowInsecureRequests] : []), oidc.enableNonRepudiationChecks];
  const client = { [oidc.clockTolerance]: tolerance };
  const providerFetch: oidc.CustomFetch = createProviderFetch();
  let discovered: { metadata: oidc.ServerMetadata; until: number } | undefined;

  const discover = async (): Promise<oidc.ServerMetadata> => {
    if (discovered !== undefined && performance.now() < discovered.until) return discovered.metadata;
    const options = { timeout, [oidc.customFetch]: providerFetch, execute: extensions };
    const found = await oidc.discovery(metadataAddress(issuer), clientId, client, oidc.None(), options);
    const metadata = found.serverMetadata();
    requireIssuer(metadata.issuer, settings);
    discovered = { metadata, until: performance.now() + kept };
    return metadata;
  };
  /** Each sign-in has its own configuration and reads the provider's keys again, because the provider rotates them. */
  const configure = async (): Promise<oidc.Configuration> => {
    const metadata = await discover();
    const configuration = new oidc.Configuration(metadata, clientId, client, authenticationOf(metadata, clientSecret));
    configuration.timeout = timeout;
    configuration[oidc.customFetch] = providerFetch;
    for (const extension of extensions) extension(configuration);
    return configuration;
  };
  const addressFor = async ({ state, nonce, verifier, redirectUri }: AuthorizationChecks): Promise<URL> =>
    oidc.buildAuthorizationUrl(await configure(), {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  const exchange = async (
    query: string,
    { state, nonce, verifier, redirectUri }: AuthorizationChecks,
  ): Promise<Claims> => {
    const configuration = await configure();
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const asks = claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = asks ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : undefined;
    return claimsOf(claims, more, settings);
  };
  const examine = async (): Promise<void> => {
    const { authorization_endpoint, token_endpoint, jwks_uri } = await discover();
    const lacking = Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }).filter(([, value]) => !value);
    if (lacking.length > 0) throw misfit(`the metadata has no ${lacking.map(([name]) => name).join(', ')}`);
    const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
    const answer = await providerFetch(jwks_uri!, { ...options, signal: AbortSignal.timeout(timeout * 1000) });
    if (answer.status !== 200) throw misfit(`the keys at ${jwks_uri} answer ${answer.status}`);
    await requireClient();
  };
  /**
   * Offers the provider a code that it never gave. A provider that accepts the client refuses only the code.
   * @throws SignInRefusal if it does not accept the client
   */
  const requireClient = async (): Promise<void> => {
    const configuration = await configure();
    const callback = new URL('https://ddp.invalid/auth/callback?code=none&state=none');
    callback.searchParams.set('iss', configuration.serverMetadata().issuer);
    const checks = { expectedState: 'none', pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
    const refusal = await oidc
      .authorizationCodeGrant(configuration, callback, checks)
      .then(() => undefined, signInRefusalOf);
    if (refusal !== undefined && refusal.reason !== 'code') throw refusal;
  };
  return {
    addressFor: (checks) => addressFor(checks).catch(refuse),
    exchange: (query, checks) => exchange(query, checks).catch(refuse),
    examine: () => examine().catch(refuse),
  };
}

const refuse = (error: unknown): never => {
  throw signInRefusalOf(error);
};

const misfit = (detail: string) => new SignInRefusal('settings', notSetUp, detail);

const wellKnown = '/.well-known/openid-configuration';

/**
 * Returns the address of a provider's metadata (OpenID Connect Discovery 1.0, section 4). Given such an address,
 * openid-client does not compare issuers; {@link requireIssuer} does.
 */
function metadataAddress(issuer: string): URL {
  const url = new URL(issuer);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${wellKnown}`;
  return url;
}

/** Hosts of Microsoft whose issuers name the tenant by its identifier, however the settings name it. */
const microsoft = /^(login\.microsoftonline\.com|[\w-]+\.b2clogin\.com)$/;

/**
 * Compares the issuer that the metadata names with that of the settings. A slash at the end makes no difference, because
 * both lead to the same metadata.
 * @throws SignInRefusal
 */
function requireIssuer(found: string, { issuer, number }: OidcProviderSettings): void {
  const bare = (text: string) => (URL.canParse(text) ? new URL(text).href.replace(/\/$/, '') : text);
  if (bare(found) === bare(issuer)) return;
  const setting = oidcSettingName(number, 'ISSUER');
  if (found.includes('{'))
    throw misfit(`${setting} names no tenant: set it to the address with the tenant's identifier`);
  if (microsoft.test(new URL(issuer).hostname)) return;
  throw misfit(`${setting} is ${issuer}, but the provider calls itself ${found}: set it to that`);
}

/** Returns the client's authentication: the secret in a header, unless the provider takes it only in the body. */
function authenticationOf({ token_endpoint_auth_methods_supported: methods }: oidc.ServerMetadata, secret?: string) {
  if (secret === undefined) return oidc.None();
  const takesBasic = methods === undefined || methods.includes('client_secret_basic');
  return takesBasic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** Maximum number of bytes of an answer. */
const mostBytes = 262_144;

/** An answer that was read whole. */
interface Read {
  status: number;
  statusText: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | null;
}

/** Options of a request, as openid-client gives them. */
interface Options {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the function that makes the requests to a provider. It reads at most {@link mostBytes}, and follows no
 * redirect. The caller's signal ends it. Requests for the same public document (metadata and keys) that overlap are one
 * request, so that a slow provider is not asked again by each person who waits.
 */
function createProviderFetch(): (url: string, options: Options) => Promise<Response> {
  const under = new Map<string, Promise<Read>>();
  return async (url, options) => {
    const isShared = options.method === 'GET' && !('authorization' in options.headers);
    if (!isShared) return responseOf(await read(url, options));
    let reading = under.get(url);
    if (reading === undefined) {
      reading = read(url, options).finally(() => under.delete(url));
      under.set(url, reading);
    }
    return responseOf(await reading);
  };
}

async function read(url: string, options: Options): Promise<Read> {
  const { status, statusText, headers, body } = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  if (body === null) return { status, statusText, headers, body };
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`The provider's answer has more than ${mostBytes} bytes.`);
    parts.push(part);
  }
  return { status, statusText, headers, body: Buffer.concat(parts) };
}

const responseOf = ({ body, ...rest }: Read): Response => new Response(body, rest);
