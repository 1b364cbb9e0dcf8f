import { type Dispatcher, request } from 'undici';
import { checkAnswer } from './contract.js';

/** Optional parts of a request. */
export interface Extras {
  headers?: Readonly<Record<string, string>>;
  /** Body of the request, sent as JSON; a string or bytes are sent unchanged. */
  body?: unknown;
}

/** An answer. Its body is parsed JSON, or text for a file; undefined when there is none. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Calls a service over REST. Every answer is validated against the committed OpenAPI document. */
export class Client {
  /** @param base address of the REST API, such as `http://127.0.0.1:4000/ddp/v1`. */
  constructor(
    readonly base: string,
    readonly token?: string,
  ) {}

  get<Body = unknown>(path: string, extras?: Extras): Promise<Answer<Body>> {
    return this.request('GET', path, extras);
  }

  post<Body = unknown>(path: string, body?: unknown): Promise<Answer<Body>> {
    return this.request('POST', path, { body });
  }

  put<Body = unknown>(path: string, body?: unknown): Promise<Answer<Body>> {
    return this.request('PUT', path, { body });
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  /** Sends a request to a path below the base address. */
  async request<Body = unknown>(
    method: string,
    path: string,
    { headers = {}, body }: Extras = {},
  ): Promise<Answer<Body>> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await request(`${this.base}${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
    });
    const text = await response.body.text();
    const answer = { status: response.statusCode, headers: headersOf(response.headers), body: text };
    checkAnswer({ method, path: path.replace(/[?#].*$/, ''), ...answer });
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return { ...answer, body: (text === '' ? undefined : isJson ? JSON.parse(text) : text) as Body };
  }
}

const headersOf = (headers: Record<string, string | string[] | undefined>): Headers =>
  new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));
