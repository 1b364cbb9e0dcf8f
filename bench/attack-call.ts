import type { Pool } from 'undici';

/** The attacking organization, with tokens of its own. */
export interface Attacker {
  origin: string;
  client: Pool;
  organizationId: string;
  applicationId: string;
  serials: readonly string[];
  token: string;
  /** Address of the service's MQTT endpoint. */
  mqttUrl: string;
}

/**
 * Address that the attacker connects from. It differs from that of the measured tenant, so that limits per address do
 * not affect the tenant.
 */
export const attackerAddress = '127.0.0.2';

/** An attack. Each worker runs the prepared rounds in turn, without end. A round succeeds with any status. */
export interface Attack {
  workers: number;
  prepare(attacker: Attacker): Promise<(() => Promise<unknown>)[]>;
}

/** Headers of a JSON body. */
export const json = { 'content-type': 'application/json' };
/** Sends a request, discards the body of the answer and returns its status. */
export const send = async (
  { client, token }: Attacker,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = json,
  method: 'GET' | 'POST' | 'PUT' = body === undefined ? 'GET' : 'POST',
): Promise<number> => {
  const answer = await client.request({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await answer.body.dump({ limit: 2 ** 30 });
  return answer.statusCode;
};

/** Creates an object and returns its identifier. Throws when the service refuses it. */
export const make = async ({ client, token }: Attacker, path: string, body: object): Promise<string> => {
  const headers = { authorization: `Bearer ${token}`, ...json };
  const answer = await client.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const told = (await answer.body.json()) as { id?: string };
  const { id } = told;
  if (id === undefined) throw new Error(`${path} answered ${answer.statusCode}: ${JSON.stringify(told)}`);
  return id;
};
