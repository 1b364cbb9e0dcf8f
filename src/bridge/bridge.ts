import { setTimeout as delay } from 'node:timers/promises';
import { backOff } from '../back-off.js';
import type { Log } from '../log.js';
import { type BrokerOptions, takeFromBroker } from './broker.js';

/** Whose messages a bridge takes, by what they hold. */
export const bridgeSources = ['chirpstack', 'the-things-stack', 'ddp'] as const;
/** One of them. */
export type BridgeSource = (typeof bridgeSources)[number];

/** Where messages come from and go to. */
export interface BridgeOptions extends Omit<BrokerOptions, 'handle' | 'atOnce'> {
  source: BridgeSource;
  /** Origin of the service, an organization of it, and a token that may post its records. */
  service: string;
  organizationId: string;
  token: string;
  log: Log;
}

/** Messages that are posted at once: the service commits them together. */
const atOnce = 100;
/** Bytes of a body that the service takes, at most. */
const maxBytes = 10 * 2 ** 20;
/** How long a post may take, in milliseconds. */
const deadline = 30_000;
/** A quota of a day says to wait until midnight, and may be raised before. Milliseconds. */
const longestWait = 60_000;

/** The token does not let the bridge post: there is no use in going on. */
class NotAllowed extends Error {}

/**
 * Stores what a broker has, until it is told to leave. What the service takes is acknowledged when it is committed, what it
 * refuses for good too, with a line in the log; while it cannot be reached the broker keeps the rest.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { signal, log } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const begun = performance.now();
    try {
      await takeFromBroker({ ...options, atOnce, handle: (message, over) => store(options, message, over) });
    } catch (error) {
      if (error instanceof NotAllowed) throw error;
      if (signal.aborted) return;
      // A connection that held for a while was a success.
      if (performance.now() - begun > 60_000) failures = 0;
      log.warn({ err: error }, 'The connection to the broker ended; connecting again.');
      await delay(backOff(failures), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Posts a message until it is settled, or the connection that it came over is. */
async function store(
  options: BridgeOptions,
  message: { topic: string; payload: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const { log } = options;
  const { topic, payload } = message;
  // The service may end the connection before all of it is sent, which would look like an outage.
  if (payload.length > maxBytes)
    return log.warn({ topic, bytes: payload.length }, `Not stored: more than ${maxBytes} bytes.`);
  for (let failures = 0; ; failures++) {
    const { status, text, wait } = await post(options, message);
    if (status === 401 || status === 403) throw new NotAllowed(`The service refuses the bridge: ${text}`);
    const isRefused = status >= 400 && status < 500 && status !== 429;
    const isPartly = status === 200 && !text.includes('"rejected":0');
    if (isRefused || isPartly) log.warn({ topic, status, answer: text.slice(0, 500) }, 'Not stored.');
    if (isRefused || (status >= 200 && status < 300)) return;
    await delay(Math.min(wait || backOff(failures), longestWait), undefined, { signal });
  }
}

async function post(
  { service, organizationId, token, source }: BridgeOptions,
  { topic, payload }: { topic: string; payload: Buffer },
): Promise<{ status: number; text: string; wait?: number }> {
  const path = source === 'ddp' ? 'records' : `ingest/${source}${source === 'chirpstack' ? eventOf(topic) : ''}`;
  try {
    const response = await fetch(`${service}/ddp/v1/organizations/${organizationId}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: new Uint8Array(payload),
      signal: AbortSignal.timeout(deadline),
    });
    const after = response.headers.get('retry-after');
    return { status: response.status, text: await response.text(), ...(after && { wait: Number(after) * 1000 }) };
  } catch (error) {
    return { status: 503, text: String(error) };
  }
}

/** ChirpStack's topics end with the event: `application/<id>/device/<DevEUI>/event/up`. */
const eventOf = (topic: string): string => `?event=${encodeURIComponent(/\/event\/(\w+)$/.exec(topic)?.[1] ?? 'up')}`;
