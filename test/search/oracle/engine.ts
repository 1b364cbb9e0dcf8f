import { errors, Pool } from 'undici';
import type { Plain } from './plain.js';

/** A real OpenSearch. */
export interface Engine {
  send(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: string): Promise<Plain>;
  close(): Promise<void>;
}

/** Marks a missing answer: in some searches, OpenSearch never reports an error, or runs out of memory. */
export const unanswered: Plain = { unanswered: true };

const timeoutMs = 10_000;

/** Connects to OpenSearch at a URL. */
export const connect = (url: string): Engine => {
  const pool = new Pool(url, { connections: 8, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  return {
    send: async (method, path, body) => {
      // Repeats the request once, since this process itself may have been paused.
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        try {
          const response = await pool.request({
            method,
            path,
            headers: { 'content-type': 'application/json' },
            ...(body !== undefined && { body }),
          });
          const answer = parse(await response.body.text());
          return response.statusCode === 429 ? unanswered : answer;
        } catch (error) {
          if (!(error instanceof errors.HeadersTimeoutError)) throw error;
        }
      }
      return unanswered;
    },
    close: () => pool.close(),
  };
};

/** Parses JSON. Integers beyond 2^53 become text, as in our answers. */
const parse = (text: string): Plain => {
  const exact = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown) as Plain;
};
