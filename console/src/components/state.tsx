import type { ComponentChildren } from 'preact';
import type { Loaded } from '../use-query.js';

/** What stands where there is nothing yet: what it is, and what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** A refusal or a fault, as a sentence, with the id to quote when asking for help, and a way to try again. */
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

/**
 * Shows what a request gave: its error, a placeholder of the right height while the first answer is on its way, and the
 * data. Later requests leave what is shown in place.
 */
export function Loading<Data>({
  of,
  rows = 8,
  children,
}: {
  of: Loaded<Data>;
  /** How many lines the placeholder is high. */
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
