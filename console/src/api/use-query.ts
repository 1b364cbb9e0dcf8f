import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocumentString } from './documents.js';
import { type Answered, ask, askEach, type GraphError, type Parts, refusalOf } from './graph.js';

/**
 * The state of a request for a screen. Earlier data stay until newer ones arrive, so that the layout does not jump. They
 * go when the request for another object fails.
 */
export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: GraphError | undefined;
  readonly loading: boolean;
  /** Sends the request again. */
  readonly reload: () => void;
}

interface Options<Answer> {
  /**
   * Time in milliseconds after which the request is repeated while the page is visible. A function returns it for the
   * latest answer, and is not called without one or when the object is gone.
   */
  readonly every?: number | ((answer: Answer) => number | undefined);
}

/** Sends the query of a screen, and sends it again when its variables change and at the optional interval. */
export function useQuery<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables | undefined,
  options: Options<Answered<Data>> = {},
): Loaded<Answered<Data>> {
  const send = useCallback((values: Variables, signal: AbortSignal) => ask(document, values, signal), [document]);
  return useAnswer(send, variables, options);
}

/** The state of a request for a screen with several panels. A refused panel is null, and `refusals` says why. */
export type LoadedParts<Data> = Loaded<Data> & Pick<Parts<Data>, 'refusals'>;

const none: ReadonlyMap<string, GraphError> = new Map();

/** Sends the query of a screen with several panels in the same way. */
export function usePanels<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables | undefined,
  options: Options<Parts<Data>> = {},
): LoadedParts<Data> {
  const send = useCallback((values: Variables, signal: AbortSignal) => askEach(document, values, signal), [document]);
  const { data: parts, ...loaded } = useAnswer(send, variables, options);
  return { ...loaded, data: parts?.data, refusals: parts?.refusals ?? none };
}

interface State<Answer> extends Omit<Loaded<Answer>, 'reload'> {
  /** Path and variables that the data were requested for. */
  readonly of?: { readonly path: string; readonly key: string | undefined } | undefined;
}

function useAnswer<Answer, Variables>(
  send: (variables: Variables, signal: AbortSignal) => Promise<Answer>,
  variables: Variables | undefined,
  { every }: Options<Answer>,
): Loaded<Answer> {
  const [state, setState] = useState<State<Answer>>({
    data: undefined,
    error: undefined,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const key = JSON.stringify(variables);
  const latest = useRef(variables);
  latest.current = variables;
  useEffect(() => {
    if (latest.current === undefined) return undefined;
    const left = new AbortController();
    const path = location.pathname;
    setState((before) => ({ ...before, loading: true }));
    send(latest.current, left.signal).then(
      (data) => left.signal.aborted || setState({ data, of: { path, key }, error: undefined, loading: false }),
      (error: unknown) => {
        if (left.signal.aborted) return;
        const failure = refusalOf(error);
        setState(({ data, of }) => ({
          // On one path, variables differ by time, page and filters. On different paths, they name different objects.
          data: of?.path === path || of?.key === key ? data : undefined,
          of,
          error: failure,
          loading: false,
        }));
      },
    );
    return () => left.abort();
  }, [send, key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const { data, error, loading } = state;
  const isGone = data === undefined || error?.code === 'NOT_FOUND';
  const pause = typeof every !== 'function' ? every : isGone ? undefined : every(data);
  useEffect(() => {
    // The pause begins with the answer: otherwise a slow request would be aborted by the next one, again and again.
    if (pause === undefined || loading) return undefined;
    // A page in the background sends no requests.
    const timer = setInterval(() => isVisible() && reload(), pause);
    return () => clearInterval(timer);
  }, [pause, loading, reload]);
  return { ...state, reload };
}

const isVisible = () => globalThis.document.visibilityState === 'visible';
