/** What a call answered. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON; undefined where there is no body. */
  body: any;
}

/** Somebody who calls the service with a token, or without one. */
export interface Actor {
  readonly token: string | undefined;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  call(verb: string, path: string, body?: unknown): Promise<Answer>;
  /** One GraphQL operation; the answer's body is `{ data, errors }`. */
  graph(query: string, variables?: object): Promise<Answer>;
}

/** Makes a caller of the service at an origin. Paths of REST are below the base address. */
export function actorOf(origin: () => string, token: string | undefined): Actor {
  const send = async (verb: string, url: string, body: unknown): Promise<Answer> => {
    const response = await fetch(url, {
      method: verb,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : parse(text) };
  };
  const call = (verb: string, path: string, body?: unknown) => send(verb, `${origin()}/ddp/v1${path}`, body);
  return {
    token,
    call,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    delete: (path) => call('DELETE', path),
    graph: (query, variables) => send('POST', `${origin()}/graphql`, { query, variables }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
