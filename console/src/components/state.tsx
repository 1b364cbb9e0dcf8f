import type { ComponentChildren } from 'preact';
import type { Loaded, LoadedParts } from '../api/use-query.js';

/** A message in the place of missing content, with the next step. `as` is `h1` where it is all of a page. */
export const Empty = ({
  title,
  as: Title = 'p',
  children,
}: {
  title: string;
  as?: 'p' | 'h1';
  children?: ComponentChildren;
}) => (
  <div class="empty">
    <Title class="empty-title">{title}</Title>
    {children}
  </div>
);

/** An error as a sentence, with the request's id for support, and a button to try again. */
export const Failure = ({
  error,
  retry,
}: {
  error: { message: string; requestId?: string | undefined };
  retry?: () => void;
}) => (
  <div class="failure" role="alert">
    <p>{error.message}</p>
    <p class="quiet">
      {error.requestId !== undefined && (
        <>
          Request <code>{error.requestId}</code>{' '}
        </>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  </div>
);

/** Takes the place of a screen whose script could not be loaded. */
export const LoadFailure = () => (
  <main id="main">
    <h1>Not loaded</h1>
    <Failure
      error={{ message: 'This part of the console could not be loaded. Check the connection to the service.' }}
      retry={() => location.reload()}
    />
  </main>
);

/**
 * Returns the heading of an object's screen when the object is not loaded: its kind, and whether the service has no
 * such object.
 */
export const headingWithout = ({ error }: Pick<Loaded<unknown>, 'error'>, kind: string): string =>
  error?.code === 'NOT_FOUND' ? `${kind} not found` : kind;

/**
 * Shows the result of a request: its error, its data, or a placeholder of the same height during the first load. Later
 * loads keep the data in place.
 */
export function Loading<Data>({
  of,
  rows = 8,
  children,
}: {
  of: Loaded<Data>;
  /** Height of the placeholder in lines. */
  rows?: number;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, error, reload } = of;
  if (data === undefined) {
    if (error !== undefined) return <Failure error={error} retry={reload} />;
    return (
      <div class="placeholder" role="status" aria-label="Loading" style={{ '--rows': rows }}>
        <span class="visually-hidden">Loading</span>
      </div>
    );
  }
  return (
    <>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {children(data)}
    </>
  );
}

/** Shows a panel of a screen, or why the service refused it. */
export function Part<Data extends object, Name extends keyof Data & string>({
  of: { data, refusals, reload },
  name,
  children,
}: {
  of: LoadedParts<Data>;
  /** Name of the panel in the request. */
  name: Name;
  children: (part: NonNullable<Data[Name]>) => ComponentChildren;
}) {
  const part = data?.[name];
  if (part != null) return <>{children(part)}</>;
  const refusal = refusals.get(name);
  return refusal === undefined ? null : <Failure error={refusal} retry={reload} />;
}
