import { createClient } from 'graphql-sse';
import type { TypedDocumentString } from './documents.js';
import { signOut, token } from './session.js';

/** What the server refused, or that it could not be reached: a sentence, and what to quote when asking for help. */
export class GraphError extends Error {
  constructor(
    message: string,
    /** A code of the service such as `FORBIDDEN`, or `UNREACHABLE`. */
    readonly code: string,
    readonly requestId: string | undefined,
    /** Faults of single arguments, by their paths. */
    readonly faults: readonly { path: string; message: string }[] = [],
  ) {
    super(message);
  }
}

interface Fault {
  message: string;
  extensions?: { code?: string; errors?: { path: string; message: string }[] };
}

interface GraphAnswer<Data> {
  data?: Data | null;
  errors?: Fault[];
}

const address = new URL('/graphql', location.origin).href;

/** What an operation answers where none of its root fields was refused. */
export type Answered<Data> = { [Field in keyof Data]: NonNullable<Data[Field]> };

/** Asks the graph, or carries out a change. @throws GraphError where any root field was refused: the first refusal. */
export async function ask<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Answered<Data>> {
  const { data, refusal } = await askEach(document, variables, signal);
  if (refusal !== undefined) throw refusal;
  return data as Answered<Data>;
}

/**
 * Asks the graph for a screen of several panels, of which some may be refused: their root fields are null.
 * @throws GraphError where nothing came back.
 */
export async function askEach<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<{ data: Data; refusal: GraphError | undefined }> {
  const response = await send(JSON.stringify({ query: document.toString(), variables }), signal);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { data, errors = [] } = await read<GraphAnswer<Data>>(response, requestId);
  const [first] = errors;
  const code = first?.extensions?.code ?? 'INTERNAL';
  if (code === 'UNAUTHENTICATED') signOut(noLongerValid);
  const refusal = first && new GraphError(first.message, code, requestId, first.extensions?.errors);
  if (data == null) throw refusal ?? new GraphError('The service gave no answer.', 'INTERNAL', requestId);
  return { data, refusal };
}

async function send(body: string, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token.value ?? ''}` },
      body,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new GraphError('The service cannot be reached. Is it running?', 'UNREACHABLE', undefined);
  }
}

async function read<Body>(response: Response, requestId: string | undefined): Promise<Body> {
  try {
    return (await response.json()) as Body;
  } catch {
    throw new GraphError(`The service answered ${response.status} without JSON.`, 'UNREACHABLE', requestId);
  }
}

/** What a subscription tells its listener. */
export interface Listener<Data> {
  next(data: Data): void;
  /** The stream broke off and is being opened again, or is open (again). */
  state(state: 'open' | 'reconnecting'): void;
  /** The server ended it for good. */
  error(error: GraphError): void;
}

/**
 * Subscribes over server-sent events, and goes on by itself where the connection breaks or the service stops: `variables` is
 * asked anew each time, so that it can name the cursor to go on from. Call what it gives to stop.
 */
export function subscribe<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Data, Variables>,
  variables: () => Variables,
  listener: Listener<Data>,
): () => void {
  const client = createClient({
    url: address,
    headers: () => ({ authorization: `Bearer ${token.value ?? ''}` }),
    // Opened again here, with new variables.
    retryAttempts: 0,
    onMessage: () => {
      failures = 0;
      listener.state('open');
    },
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
    if (code === 'UNAUTHENTICATED') signOut(noLongerValid);
    else listener.error(new GraphError(message, code, undefined));
  };
  const open = () =>
    client.subscribe<Data>(
      { query: document.toString(), variables: variables() },
      {
        next: ({ data, errors }) => {
          const [first] = errors ?? [];
          const code = (first?.extensions as Fault['extensions'])?.code ?? 'INTERNAL';
          if (first !== undefined) refuse(first.message, code);
          else if (data != null) listener.next(data);
        },
        error: (error) => {
          const status = statusOf(error);
          if (status === 401) refuse(noLongerValid, 'UNAUTHENTICATED');
          else if (status !== undefined && status >= 400 && status < 500 && status !== 429)
            refuse(messageOf(error), 'INTERNAL');
          else if (Array.isArray(error)) refuse(messageOf(error), 'INTERNAL');
          else openAgain();
        },
        // The service completes its streams when it stops: another process, or the next start, goes on.
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

const noLongerValid = 'The token is no longer valid. Sign in again.';

/** The status that a stream was refused with; undefined where there was no answer. */
const statusOf = (error: unknown): number | undefined => {
  const { response } = error as { response?: { status?: number } };
  return response?.status;
};

const messageOf = (error: unknown): string => {
  if (Array.isArray(error)) return (error[0] as Fault | undefined)?.message ?? 'The stream was refused.';
  return error instanceof Error ? error.message : 'The stream broke off.';
};
