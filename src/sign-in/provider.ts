import * as oidc from 'openid-client';
import type { OidcProvider } from '#config/oidc-setting.js';

/** Seconds that a provider may take to answer one request, and bytes of an answer. */
const timeout = 10;
const mostBytes = 262_144;
/** Time for which a provider's metadata is kept, in milliseconds. */
const kept = 600_000;
/** Seconds by which the clock of a provider may differ from ours. */
const tolerance = 30;

/** A person as the provider names them. Everything except the subject is text that the person may have chosen. */
export interface Claims {
  issuer: string;
  subject: string;
  /** E-mail address, if the provider has verified it. */
  email: string | undefined;
  name: string | undefined;
  username: string | undefined;
}

/** Values that check a sign-in when the person comes back. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

/** A provider by which people sign in. */
export interface Provider {
  /** Creates the values that check a sign-in. */
  newChecks(redirectUri: string): Checks;
  /** The address that a browser is sent to. */
  addressFor(checks: Checks): Promise<URL>;
  /**
   * Exchanges the code of a callback for the person.
   * @param query of the callback's address
   * @throws Refusal if the provider refuses the sign-in, or its answer fails a check
   */
  exchange(query: string, checks: Checks): Promise<Claims>;
}

/**
 * The provider refused a sign-in, or its answer is invalid. The message is for people and contains no text of the
 * provider.
 */
export class Refusal extends Error {}

/** Opens a provider. It gets its first request when a person signs in. */
export function openProvider({ issuer, clientId, clientSecret }: OidcProvider): Provider {
  const isPlain = issuer.startsWith('http:');
  const extensions = [...(isPlain ? [oidc.allowInsecureRequests] : []), oidc.enableNonRepudiationChecks];
  const client = { [oidc.clockTolerance]: tolerance };
  let discovered: { metadata: oidc.ServerMetadata; until: number } | undefined;

  const discover = async (): Promise<oidc.ServerMetadata> => {
    if (discovered !== undefined && performance.now() < discovered.until) return discovered.metadata;
    const options = { timeout, [oidc.customFetch]: boundedFetch, execute: extensions };
    const metadata = (await oidc.discovery(new URL(issuer), clientId, client, oidc.None(), options)).serverMetadata();
    discovered = { metadata, until: performance.now() + kept };
    return metadata;
  };
  /** Each sign-in has its own configuration and reads the provider's keys again, because the provider rotates them. */
  const configure = async (): Promise<oidc.Configuration> => {
    const metadata = await discover();
    const configuration = new oidc.Configuration(metadata, clientId, client, authenticationOf(metadata, clientSecret));
    configuration.timeout = timeout;
    configuration[oidc.customFetch] = boundedFetch;
    for (const extension of extensions) extension(configuration);
    return configuration;
  };

  return {
    newChecks: (redirectUri) => ({
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      redirectUri,
    }),
    async addressFor({ state, nonce, verifier, redirectUri }) {
      return oidc.buildAuthorizationUrl(await configure(), {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    async exchange(query, { state, nonce, verifier, redirectUri }) {
      const configuration = await configure();
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        const asks = claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = asks ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
        return claimsOf(issuer, { ...more, ...claims });
      } catch (error) {
        throw error instanceof Refusal ? error : (refusalOf(error) ?? error);
      }
    },
  };
}

/** Reads claims. An address counts as verified only if the claim is the boolean true, not a text such as "true". */
function claimsOf(issuer: string, claims: Record<string, unknown> & { sub: string }): Claims {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value.length <= 254 && !/\p{Cc}/u.test(value) && value.isWellFormed()
      ? value
      : undefined;
  };
  if (!/^[ -~]{1,255}$/.test(claims.sub)) throw new Refusal('The provider named no user.');
  const email = claims['email_verified'] === true ? text('email') : undefined;
  return { issuer, subject: claims.sub, email, name: text('name'), username: text('preferred_username') };
}

/** Returns the client's authentication: the secret in a header, unless the provider takes it only in the body. */
function authenticationOf({ token_endpoint_auth_methods_supported: methods }: oidc.ServerMetadata, secret?: string) {
  if (secret === undefined) return oidc.None();
  const takesBasic = methods === undefined || methods.includes('client_secret_basic');
  return takesBasic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** Returns the refusal for an error of a sign-in; undefined if the provider cannot be reached. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof oidc.AuthorizationResponseError) {
    const code = /^[a-z_]{1,60}$/.test(error.error) ? error.error : 'another reason';
    return new Refusal(`The provider refused the sign-in: ${code}.`, { cause: error });
  }
  if (error instanceof oidc.ResponseBodyError)
    return new Refusal('The provider refused the code of this sign-in.', { cause: error });
  if (error instanceof oidc.ClientError && !unreachable.has(error.code ?? ''))
    return new Refusal('The answer of the provider is not valid.', { cause: error });
  return undefined;
}

/** Codes of errors that do not concern the sign-in itself. */
const unreachable = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', '']);

/** Fetches from a provider at most {@link mostBytes}, and follows no redirect. The caller's signal ends it. */
async function boundedFetch(url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  if (response.body === null) return response;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`The provider's answer has more than ${mostBytes} bytes.`);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  return new Response(Buffer.concat(parts), { status, statusText, headers });
}
