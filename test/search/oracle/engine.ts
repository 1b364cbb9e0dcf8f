import { Pool } from 'undici';
import type { Plain } from './compare.js';

/** A real OpenSearch. */
export interface Engine {
  send(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: string): Promise<Plain>;
  close(): Promise<void>;
}

/** Connects to the engine at a URL. */
export const connect = (url: string): Engine => {
  const pool = new Pool(url, { connections: 8, headersTimeout: 60_000, bodyTimeout: 60_000 });
  return {
    send: async (method, path, body) => {
      const response = await pool.request({
        method,
        path,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      });
      return parse(await response.body.text());
    },
    close: () => pool.close(),
  };
};

/** JSON whose whole numbers beyond 2^53 stay text, as ours are. */
const parse = (text: string): Plain => {
  const exact = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown) as Plain;
};
