import type { CallOutcome, OutgoingCaller } from '#calls/caller.js';
import { createRedaction } from '#calls/redaction.js';
import { SealBroken, type Vault } from '#calls/vault.js';
import type { NetworkRequest } from './dialect.js';
import { keyPlace, type StoredServer } from './server.js';
import type { Refusal } from './verdict.js';

/** Returns the refusal for a key that does not open. @throws other errors */
export const keyLost = (error: unknown): Refusal => {
  if (!(error instanceof SealBroken)) throw error;
  return { code: 'API_KEY_LOST', message: 'The API key was stored with another SECRET_KEY. Give it again.' };
};

/** The outcome of a request, and a function that removes the key from what the server says. */
export interface Asked {
  outcome: CallOutcome;
  hide(text: string): string;
}

/** Makes a request to a server, once. @throws SealBroken if its key does not open */
export type Ask = (server: StoredServer, request: NetworkRequest) => Promise<Asked>;

/**
 * Creates a function that makes a request to a server, once.
 * @returns a function that throws SealBroken if the key of the server does not open
 */
export const createAsk =
  (caller: OutgoingCaller, vault: Vault): Ask =>
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
