/** The parts of a request that GraphiQL passes to its fetcher. */
interface Request {
  query: string;
  operationName?: string | null;
}

/** The parsed document of the request, and the headers of the tab. */
interface RequestOptions {
  documentAST?: {
    definitions: readonly { kind: string; operation?: string; name?: { value: string } | undefined }[];
  };
  headers?: Record<string, string>;
}

/** Returns an answer, or the events of a subscription. */
type Fetcher = (request: Request, options?: RequestOptions) => unknown;

/**
 * Sends operations to an address: subscriptions as a stream of server-sent events, all others through another fetcher.
 * @param send performs a POST.
 */
export function createFetcher(url: string, fetchJson: Fetcher, send: typeof fetch): Fetcher {
  return (request, options) =>
    isSubscription(request, options) ? stream(url, request, options?.headers, send) : fetchJson(request, options);
}

const isSubscription = ({ operationName }: Request, { documentAST }: RequestOptions = {}): boolean =>
  documentAST?.definitions.some(
    ({ operation, name }) => operation === 'subscription' && (!operationName || name?.value === operationName),
  ) === true;

/** Yields the events of a subscription. Ending the iteration closes the connection at once, not with the next event. */
function stream(url: string, request: Request, headers: Record<string, string> | undefined, send: typeof fetch) {
  const left = new AbortController();
  const events = eventsOf(url, request, headers, send, left.signal);
  events.return = () => {
    left.abort();
    return Promise.resolve({ done: true, value: undefined });
  };
  return events;
}

async function* eventsOf(
  url: string,
  request: Request,
  headers: Record<string, string> | undefined,
  send: typeof fetch,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  const response = await send(url, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok || response.body === null) {
    yield await response.json();
    return;
  }
  let text = '';
  try {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) yield JSON.parse(data) as unknown;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
