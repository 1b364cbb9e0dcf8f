import { setTimeout as delay } from 'node:timers/promises';

/** Any JSON that an answer carries, before one has looked at it. */
export type AnswerJson = Record<string, unknown>;

/** The REST surface as a customer calls it: a verb, a path below `/ddp/v1`, a body. */
export interface Api {
  /** The JSON of the answer, undefined for 204. Throws a sentence where the service refuses. */
  call<T = AnswerJson>(verb: string, path: string, body?: object | string): Promise<T>;
}

/** Nothing answers, or 503 does: a service that is restarted is there again soon. */
export class ServiceAway extends Error {}

/** Speaks to a running service with a token. A body given as text is sent byte for byte. */
export const createApi = (origin: string, token: string): Api => ({
  async call<T>(verb: string, path: string, body?: object | string) {
    let response = await send(origin, verb, path, token, body);
    // Many small calls come up against the limit of requests a second.
    for (; response.status === 429; response = await send(origin, verb, path, token, body))
      await delay(1000 * Number(response.headers.get('retry-after') ?? 1));
    const text = await response.text();
    if (!response.ok) {
      const Fault = response.status === 503 ? ServiceAway : Error;
      throw new Fault(`${verb} ${path} was answered ${response.status}: ${text}`);
    }
    return (text === '' ? undefined : JSON.parse(text)) as T;
  },
});

/** Resolves where a service answers. @throws ServiceAway where none does */
export const requireService = async (origin: string): Promise<void> => {
  await reach(`${origin}/healthz`, origin);
};

/**
 * Resolves where the service knows a token, which is of the organization that is named, if one is.
 * @throws a sentence where it does not, or is of another organization
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
