import { type Answer, Client } from './client.js';

/** The answer to a GraphQL call. */
export interface GraphAnswer {
  data?: Record<string, any> | null;
  extensions?: Record<string, unknown>;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string; errors?: { path: string }[] } }[];
}

/** A created object, which has an identifier. */
interface Made {
  id: string;
}

/** A caller of the service, over REST and GraphQL, with or without a token. */
export class Actor extends Client {
  constructor(
    private readonly origin: string,
    token: string | undefined,
  ) {
    super(`${origin}/ddp/v1`, token);
  }

  /** Creates an object over REST and returns its identifier. Throws when the service refuses it. */
  async make(path: string, body: object = {}): Promise<string> {
    const answer = await this.post<Made>(path, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  }

  /** Sends a request with any verb. */
  call(verb: string, path: string, body?: unknown): Promise<Answer> {
    return this.request(verb, path, { body });
  }

  /** Sends one GraphQL operation. */
  graph(query: string, variables: object = {}): Promise<Answer<GraphAnswer>> {
    return this.postGraph({ query, variables });
  }

  /**
   * Returns the first event of a subscription over server-sent events, or the refusal of the call. The subscription
   * ends then.
   */
  async firstEvent(query: string, variables: object = {}): Promise<Answer<GraphAnswer>> {
    const left = new AbortController();
    const response = await this.fetchGraph({ query, variables }, { accept: 'text/event-stream' }, left.signal);
    const { status, headers } = response;
    if (status !== 200) return { status, headers, body: (await response.json()) as GraphAnswer };
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const [, data] = /^data: (.+)$/m.exec(text) ?? [];
      if (data === undefined || !text.includes('\n\n')) continue;
      left.abort();
      return { status, headers, body: JSON.parse(data) as GraphAnswer };
    }
    throw new Error(`The stream ended without an event: ${text}`);
  }

  /** Posts any body to /graphql: an operation with all its parts, or a batch. */
  async postGraph<Body = GraphAnswer>(body: unknown): Promise<Answer<Body>> {
    const response = await this.fetchGraph(body);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  private fetchGraph(body: unknown, headers: object = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.origin}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  }
}
