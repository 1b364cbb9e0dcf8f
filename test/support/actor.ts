import { type Answer, Client } from './client.js';

/** What a GraphQL call answers. */
export interface GraphAnswer {
  data?: Record<string, any> | null;
  extensions?: Record<string, unknown>;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string; errors?: { path: string }[] } }[];
}

/** What is made has an identifier. */
interface Made {
  id: string;
}

/** Somebody who calls the service by REST and by the graph, with a token or without one. */
export class Actor extends Client {
  constructor(
    private readonly origin: string,
    token: string | undefined,
  ) {
    super(`${origin}/ddp/v1`, token);
  }

  /** Makes something over REST and gives its identifier; throws where that is refused. */
  async make(path: string, body: object = {}): Promise<string> {
    const answer = await this.post<Made>(path, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  }

  /** Calls any verb. */
  call(verb: string, path: string, body?: unknown): Promise<Answer> {
    return this.request(verb, path, { body });
  }

  /** One GraphQL operation. */
  graph(query: string, variables: object = {}): Promise<Answer<GraphAnswer>> {
    return this.postGraph({ query, variables });
  }

  /** What a subscription says first, over server-sent events, or how the call was refused; it is left then. */
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

  /** Any body sent to the graph: an operation with all its parts, or a batch. */
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
