import { createClient } from 'graphql-sse';
import type { TypedDocumentString } from './documents.js';
import { authorization, signOutIfUnauthenticated } from './session.js';

/** A refusal by the server, or the absence of the server: a sentence, with the request's id for support. */
export class GraphError extends Error {
  constructor(
    message: string,
    /** Code of the service such as `FORBIDDEN`, or `UNREACHABLE`. */
    readonly code: string,
    readonly requestId: string | undefined,
    /** Faults of single arguments, with their paths. */
    readonly faults: readonly { path: string; message: string }[] = [],
  ) {
    super(message);
  }
}

/** Returns a caught error as a refusal. */
export const refusalOf = (cause: unknown): GraphError =>
  cause instanceof GraphError ? cause : new GraphError(String(cause), 'INTERNAL', undefined);

interface Fault {
  message: string;
  path?: readonly (string | number)[];
  extensions?: { code?: string; errors?: { path: string; message: string }[] };
}

interface GraphAnswer<Data> {
  data?: Data | null;
  errors?: Fault[];
}

const address = new URL('/graphql', location.origin).href;

/** Data of an operation when the server refused no root field. */
export type Answered<Data> = { [Field in keyof Data]: NonNullable<Data[Field]> };

/**
 * Sends a query or mutation.
 * @throws GraphError with the first refusal when any root field was refused.
 */
export async function ask<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Answered<Data>> {
  const { data, refusal } = await askEach(document, variables, signal);
  if (refusal !== undefined) throw refusal;
  return data as Answered<Data>;
}

/** An answer of which parts may be refused. */
export interface Parts<Data> {
  readonly data: Data;
  /** The first refusal of any root field. */
  readonly refusal: GraphError | undefined;
  /** The first refusal of each root field, by its name in the request. */
  readonly refusals: ReadonlyMap<string, GraphError>;
}

/**
 * Sends the query of a screen with several panels. A refused root field is null, and the others have data.
 * @throws GraphError when the answer has no data.
 */
export async function askEach<Data, Variables>(
  document: Pick<TypedDocumentString<Data, Variables>, 'toString' | '__apiType'>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Parts<Data>> {
  const response = await send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization() },
    body: JSON.stringify({ query: document.toString(), variables }),
    ...(signal && { signal }),
  });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { data, errors = [] } = await read<GraphAnswer<Data>>(response, requestId);
  const refused = errors.map(({ message, extensions: { code = 'INTERNAL', errors: faults } = {}, path }) => ({
    path: String(path?.[0]),
    error: new GraphError(message, code, requestId, faults),
  }));
  const refusal = refused[0]?.error;
  signOutIfUnauthenticated(refusal?.code);
  if (data == null) throw refusal ?? new GraphError('The service did not answer.', 'INTERNAL', requestId);
  return { data, refusal, refusals: new Map(refused.toReversed().map(({ path, error }) => [path, error])) };
}

/**
 * Sends a request.
 * @throws GraphError when the service cannot be reached.
 */
export async function send(to: string | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(to, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new GraphError('The service cannot be reached. Is it running?', 'UNREACHABLE', undefined);
  }
}

async function read<Body>(response: Response, requestId: string | undefined): Promise<Body> {
  try {
    return (await response.json()) as Body;
  } catch {
    throw new GraphError(
      `The service answered with status ${response.status} and without JSON.`,
      'UNREACHABLE',
      requestId,
    );
  }
}

/** Returns the refusal in an answer of REST, and signs out when the answer is a 401. */
export async function refusalIn(response: Response): Promise<GraphError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const refusal = (await response.json().catch(() => ({}))) as { message?: string; code?: string };
  const { message = `The service answered ${response.status}.`, code = 'INTERNAL' } = refusal;
  signOutIfUnauthenticated(code);
  return new GraphError(message, code, requestId);
}

/** Receives the events of a subscription. */
export interface Listener<Data> {
  next(data: Data): void;
  /** Called with `reconnecting` when the stream broke off, and with `open` whenever it is open again. */
  state(state: 'open' | 'reconnecting'): void;
  /** Called when the server refused the stream. A refusal that may pass is followed by `reconnecting`. */
  error(error: GraphError): void;
}

/** Codes of refusals after which a stream is opened again. */
const passing: ReadonlySet<string> = new Set(['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'TIMEOUT']);

/**
 * Subscribes over server-sent events, and resubscribes when the connection breaks or the service stops. `variables` is
 * called each time, so that it can return the latest cursor. Returns the function that ends the subscription.
 */
export function subscribe<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Data, Variables>,
  variables: () => Variables,
  listener: Listener<Data>,
): () => void {
  const client = createClient({
    url: address,
    headers: authorization,
    // The stream is reopened below, with new variables.
    retryAttempts: 0,
  });
  let stopped = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const openAgain = () => {
    if (stopped) return;
    listener.state('reconnecting');
    timer = setTimeout(() => (close = open()), Math.min(10_000, 500 * 2 ** failures++));
  };
  const refuse = (message: string, code: string) => {
    if (!signOutIfUnauthenticated(code)) listener.error(new GraphError(message, code, undefined));
  };
  const open = () =>
    client.subscribe<Data>(
      { query: document.toString(), variables: variables() },
      {
        next: ({ data, errors }) => {
          const [first] = errors ?? [];
          if (first !== undefined) {
            const code = (first.extensions as Fault['extensions'])?.code ?? 'INTERNAL';
            if (!passing.has(code)) stopped = true;
            refuse(first.message, code);
          } else if (data != null) {
            failures = 0;
            listener.state('open');
            listener.next(data);
          }
        },
        error: (error) => {
          const status = statusOf(error);
          if (status === 401) refuse(messageOf(error), 'UNAUTHENTICATED');
          else if (status !== undefined && status >= 400 && status < 500 && status !== 429)
            refuse(messageOf(error), 'INTERNAL');
          else if (Array.isArray(error)) refuse(messageOf(error), 'INTERNAL');
          else openAgain();
        },
        // The service completes its streams when it stops. Another process, or the restarted one, continues them.
        complete: openAgain,
      },
    );
  let close = open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    close();
    client.dispose();
  };
}

/** Returns the HTTP status that a stream was refused with; undefined without an answer. */
const statusOf = (error: unknown): number | undefined => {
  const { response } = error as { response?: { status?: number } };
  return response?.status;
};

const messageOf = (error: unknown): string => {
  if (Array.isArray(error)) return (error[0] as Fault | undefined)?.message ?? 'The stream was refused.';
  return error instanceof Error ? error.message : 'The stream broke off.';
};
