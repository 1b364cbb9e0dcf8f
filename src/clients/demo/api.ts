import { setTimeout as delay } from 'node:timers/promises';

/** JSON of an answer that was not inspected yet. */
export type AnswerJson = Record<string, unknown>;

/** The REST API as a customer calls it: a verb, a path below `/ddp/v1`, and a body. */
export interface Api {
  /** Returns the JSON of the answer; undefined for 204. Throws with an explanation when the service refuses. */
  call<T = AnswerJson>(verb: string, path: string, body?: object | string): Promise<T>;
  /** Runs an operation of the graph. Throws with an explanation when the service refuses. */
  graph(query: string, variables: object): Promise<void>;
}

/** The service does not answer, or answers 503. A restarting service is back soon. */
export class ServiceAway extends Error {}

/** Creates a client for a running service. A body given as text is sent byte for byte. */
export const createApi = (origin: string, token: string): Api => ({
  async call<T>(verb: string, path: string, body?: object | string) {
    const response = await patiently(() => send(origin, verb, path, token, body));
    const text = await response.text();
    if (!response.ok) {
      const Fault = response.status === 503 ? ServiceAway : Error;
      throw new Fault(`${verb} ${path} was answered ${response.status}: ${text}`);
    }
    return (text === '' ? undefined : JSON.parse(text)) as T;
  },
  async graph(query, variables) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ query, variables });
    const response = await patiently(() => reach(`${origin}/graphql`, origin, { method: 'POST', headers, body }));
    const text = await response.text();
    const { errors } = (response.ok ? JSON.parse(text) : { errors: [] }) as { errors?: object[] };
    if (errors !== undefined) throw new Error(`An operation of the graph was answered ${response.status}: ${text}`);
  },
});

/** Sends a request again while the service answers 429: many small calls reach the rate limit. */
async function patiently(request: () => Promise<Response>): Promise<Response> {
  let response = await request();
  for (; response.status === 429; response = await request())
    await delay(1000 * Number(response.headers.get('retry-after') ?? 1));
  return response;
}

/**
 * Resolves when a service answers.
 * @throws ServiceAway when none does.
 */
export const requireService = async (origin: string): Promise<void> => {
  await reach(`${origin}/healthz`, origin);
};

/**
 * Resolves when the service knows the token and the token belongs to the named organization, if one is named.
 * @throws an explanation otherwise.
 */
export async function requireOrganization(origin: string, token: string, organizationId: string | undefined) {
  const response = await send(origin, 'GET', '/account', token, undefined);
  if (response.status === 401)
    throw new Error(
      `The service at ${origin} does not know this token. Export the TOKEN of its first start, or unset TOKEN, and one is made.`,
    );
  const { id } = response.ok ? ((await response.json()) as { id: string }) : {};
  if (id !== undefined && organizationId !== undefined && id !== organizationId)
    throw new Error(
      `The token is of the organization ${id}, and ORGANIZATION is ${organizationId}. Export both of one, or neither.`,
    );
}

async function send(origin: string, verb: string, path: string, token: string, body: object | string | undefined) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  return reach(`${origin}/ddp/v1${path}`, origin, { method: verb, headers, ...(text !== undefined && { body: text }) });
}

async function reach(address: string, origin: string, request: RequestInit = {}) {
  try {
    return await fetch(address, request);
  } catch (cause) {
    throw new ServiceAway(`There is no service at ${origin}. Start it with npm start, or say where it is with --url.`, {
      cause,
    });
  }
}
