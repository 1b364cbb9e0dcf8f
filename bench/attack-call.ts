import type { Pool } from 'undici';

/** The organization that attacks, with tokens of its own. */
export interface Attacker {
  origin: string;
  client: Pool;
  organizationId: string;
  applicationId: string;
  serials: readonly string[];
  token: string;
  /** Address at which the service takes messages of MQTT. */
  mqttUrl: string;
}

/** Address that the attacker connects from: limits by address must not fall upon the tenant that is measured. */
export const attackerAddress = '127.0.0.2';

/** One round of an attack, done over and over by so many workers; an answer of any status counts. */
export interface Attack {
  workers: number;
  prepare(attacker: Attacker): Promise<(() => Promise<unknown>)[]>;
}

/** Headers of a body of JSON. */
export const json = { 'content-type': 'application/json' };
/** Sends a request, and drops the answer; its status. */
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
