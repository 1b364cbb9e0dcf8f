import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Dashboard } from '../document.js';

/** Maximum number of steps that can be undone. */
const mostSteps = 100;

interface States {
  readonly past: readonly Dashboard[];
  readonly now: Dashboard;
  readonly future: readonly Dashboard[];
}

/** A dashboard that is being changed, with undo and redo. */
export interface History {
  readonly now: Dashboard;
  readonly isChanged: boolean;
  readonly change: (next: Dashboard) => void;
  /** Undefined when there is no step to undo. */
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
}

/** Unsaved changes of this page by application, so that leaving the screen does not lose them. */
const drafts = new Map<string, { readonly version: number; readonly states: States }>();

/** Whether there are unsaved changes of this version of an application's dashboard. */
export const hasDraft = (applicationId: string, version: number): boolean =>
  drafts.get(applicationId)?.version === version;

/** Forgets unsaved changes. */
export const dropDraft = (applicationId: string): void => {
  drafts.delete(applicationId);
};

/** Keeps the changes of a dashboard until they are saved. The browser asks before a page with changes is closed. */
export function useHistory(applicationId: string, version: number, stored: Dashboard): History {
  const [states, setStates] = useState<States>(() =>
    hasDraft(applicationId, version) ? drafts.get(applicationId)!.states : { past: [], now: stored, future: [] },
  );
  // Compares the documents, not the steps: undone steps leave no change, and there may be changes older than the oldest
  // step.
  const isChanged = useMemo(() => JSON.stringify(states.now) !== JSON.stringify(stored), [states, stored]);
  useEffect(() => {
    if (isChanged) drafts.set(applicationId, { version, states });
    else dropDraft(applicationId);
  }, [states]);
  useEffect(() => {
    if (!isChanged) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
  const { past, now, future } = states;
  return {
    now,
    isChanged,
    change: (next) =>
      setStates((before) => ({ past: [...before.past, before.now].slice(-mostSteps), now: next, future: [] })),
    undo: past.length === 0 ? undefined : () => setStates(back),
    redo: future.length === 0 ? undefined : () => setStates(forth),
  };
}

const back = (states: States): States => {
  const { past, now, future } = states;
  const before = past.at(-1);
  return before === undefined ? states : { past: past.slice(0, -1), now: before, future: [now, ...future] };
};

const forth = (states: States): States => {
  const { past, now, future } = states;
  const [next, ...rest] = future;
  return next === undefined ? states : { past: [...past, now], now: next, future: rest };
};
