import type { z } from 'zod';
import { parseDuration } from './duration.js';
import { atMost, deadlineSetting, durationSentence, parsedSetting, wholeSetting } from './setting.js';

export interface HttpConfig {
  /** Time that a connection without a request is kept open. */
  keepAliveTimeout: number;
  /** Time that a request has to arrive, including its body. */
  requestTimeout: number;
  /** Connections per IP address that have not shown a valid token; 0 is no limit. */
  perAddress: number;
  /** Concurrent connections of all addresses together; 0 is no limit. */
  maxConnections: number;
  /** Time that a stopping service still answers, so that proxies notice before it closes. */
  stopDelay: number;
}

/** Settings of HTTP connections in the environment. */
export const httpSettings = {
  KEEP_ALIVE_TIMEOUT: deadlineSetting().default(75_000),
  REQUEST_TIMEOUT: deadlineSetting().default(60_000),
  CONNECTIONS_PER_ADDRESS: wholeSetting(0, 1_000_000).default(200),
  MAX_CONNECTIONS: wholeSetting(0, 1_000_000).default(10_000),
  STOP_DELAY: parsedSetting(
    (text) => atMost(parseDuration(text), 8000),
    `must be ${durationSentence}, at most 8s`,
  ).default(1000),
};

type Given = z.infer<z.ZodObject<typeof httpSettings>>;

/** Returns the settings of HTTP connections. */
export const httpOf = (given: Given): HttpConfig => ({
  keepAliveTimeout: given.KEEP_ALIVE_TIMEOUT,
  requestTimeout: given.REQUEST_TIMEOUT,
  perAddress: given.CONNECTIONS_PER_ADDRESS,
  maxConnections: given.MAX_CONNECTIONS,
  stopDelay: given.STOP_DELAY,
});
