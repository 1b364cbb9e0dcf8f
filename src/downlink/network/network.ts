import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { CallOutcome, OutgoingCaller } from '#calls/caller.js';
import { createRedaction } from '#calls/redaction.js';
import { SealBroken, type Vault } from '#calls/vault.js';
import type { NetworkServerTest } from '#entities/network-server.js';
import { chirpStack } from './chirpstack.js';
import type { Dialects, NetworkRequest } from './dialect.js';
import { keyPlace, type StoredServer } from './server.js';
import { theThingsStack } from './the-things-stack.js';
import { explain, type Refusal } from './verdict.js';

export interface NetworkOptions {
  pool: Pool;
  caller: OutgoingCaller;
  vault: Vault;
}

/** Speaks to network servers. */
export interface Network {
  /** Encrypts the key of a network server. */
  sealKey(serverId: string, key: string): string;
  /** Asks a server whether it would take commands. */
  test(server: StoredServer): Promise<NetworkServerTest>;
  close(): Promise<void>;
}

/** The dialects of network servers. */
export const dialects: Dialects = { THE_THINGS_STACK: theThingsStack, CHIRPSTACK: chirpStack };

/** Creates the network. */
export function createNetwork({ pool, caller, vault }: NetworkOptions): Network {
  const ask = createAsk(caller, vault);
  return {
    sealKey: (serverId, key) => vault.seal(key, keyPlace(serverId)),
    async test(server) {
      const { organizationId, kind, application } = server;
      const { rows } = await pool.query<{ name: string }>(sql`
        select name from device_road
         where organization_id = ${organizationId} and kind = ${kind} and application = ${application} limit 1`);
      const asked = await ask(server, dialects[kind].test(application, rows[0]?.name)).catch(keyLost);
      if (!('outcome' in asked)) return { ok: false, ...asked };
      const { outcome, hide } = asked;
      const { answer } = outcome;
      if (answer !== undefined && dialects[kind].isTaken(answer.statusCode, answer.body.toString('utf8')))
        return { ok: true, message: 'The network server takes commands.', statusCode: answer.statusCode };
      const { status, ...refusal } = explain(outcome, hide);
      return { ok: false, ...refusal, ...(status !== undefined && { statusCode: status }) };
    },
    close: () => caller.close(),
  };
}

/** Returns the refusal for a key that does not open. @throws other errors */
export const keyLost = (error: unknown): Refusal => {
  if (!(error instanceof SealBroken)) throw error;
  return { code: 'API_KEY_LOST', message: 'The API key was stored with another SECRET_KEY. Give it again.' };
};

/** The outcome of a request, and a function that removes the key from what the server says. */
interface Asked {
  outcome: CallOutcome;
  hide(text: string): string;
}

/**
 * Creates a function that makes a request to a server, once.
 * @returns a function that throws SealBroken if the key of the server does not open
 */
export const createAsk =
  (caller: OutgoingCaller, vault: Vault) =>
  async (server: StoredServer, { method, path, body }: NetworkRequest): Promise<Asked> => {
    const key = vault.open(server.apiKey, keyPlace(server.id));
    const url = new URL(`${server.address}${path}`);
    const outcome = await caller.call({
      organizationId: server.organizationId,
      origin: url.origin,
      path: url.pathname,
      method,
      headers: Object.entries({
        host: url.host,
        'user-agent': 'device-data-platform',
        'accept-encoding': 'identity',
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }).flat(),
      body: body === undefined ? '' : JSON.stringify(body),
      once: true,
      allowUnverified: false,
    });
    return { outcome, hide: (text) => createRedaction([key]).text(text) };
  };
