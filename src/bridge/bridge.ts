import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#common/log.js';
import { backOff } from '#scheduling/back-off.js';
import { type BrokerOptions, takeFromBroker } from './broker.js';

/** Formats of messages that a bridge accepts, by network server. */
export const bridgeSources = ['chirpstack', 'the-things-stack', 'ddp'] as const;
/** Format of the messages of a broker. */
export type BridgeSource = (typeof bridgeSources)[number];

/** The broker that messages come from, and the service that they go to. */
export interface BridgeOptions extends Omit<BrokerOptions, 'handle' | 'atOnce'> {
  source: BridgeSource;
  /** Origin of the service, an organization, and a token that may post its records. */
  service: string;
  organizationId: string;
  token: string;
  log: Log;
}

/** Maximum number of concurrent posts: the service commits them together. */
const atOnce = 100;
/** Maximum size of a body that the service accepts, in bytes. */
const maxBytes = 10 * 2 ** 20;
/** Maximum duration of a post, in milliseconds. */
const deadline = 30_000;
/**
 * Maximum wait after a refused post, in milliseconds. A quota of a day asks to wait until midnight, but may be raised
 * before.
 */
const longestWait = 60_000;

/** The token does not let the bridge post, so continuing is useless. */
class NotAllowed extends Error {}

/**
 * Posts the messages of a broker to the service until the signal is aborted. A message is acknowledged once the service
 * has committed it, or refused it permanently, which is logged. While the service cannot be reached, the broker keeps
 * the rest.
 * @throws NotAllowed if the token does not let the bridge post
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
      // A connection that held for a while counts as a success.
      if (performance.now() - begun > 60_000) failures = 0;
      log.warn({ err: error }, 'Connection to the broker ended; reconnecting');
      await delay(backOff(failures), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Posts a message until it is settled, or until the connection that it came over ends. */
async function store(
  options: BridgeOptions,
  message: { topic: string; payload: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const { log } = options;
  const { topic, payload } = message;
  // The service may close the connection before the whole body is sent, which would look like an outage.
  if (payload.length > maxBytes)
    return log.warn({ topic, bytes: payload.length }, `Message not stored: more than ${maxBytes} bytes`);
  for (let failures = 0; ; failures++) {
    const { status, text, wait } = await post(options, message);
    if (status === 401 || status === 403) throw new NotAllowed(`The service refuses the bridge: ${text}`);
    const isRefused = status >= 400 && status < 500 && status !== 429;
    const isPartly = status === 200 && !text.includes('"rejected":0');
    if (isRefused || isPartly) log.warn({ topic, status, answer: text.slice(0, 500) }, 'Message not stored');
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

/**
 * Returns the query of ChirpStack's event. Its topics end with the event: `application/<id>/device/<DevEUI>/event/up`.
 */
const eventOf = (topic: string): string => `?event=${encodeURIComponent(/\/event\/(\w+)$/.exec(topic)?.[1] ?? 'up')}`;
