/** A record as one rule evaluates it. */
export interface Sample<Record = unknown> {
  /** Unix seconds. */
  ts: number;
  /** Whether the record meets `when`, and whether it meets `until`; undefined if the record does not decide. */
  when: boolean | undefined;
  until: boolean | undefined;
  record: Record;
}

/** The durations of a rule, in seconds. */
export interface FoldRule {
  for: number;
  maxGap: number;
}

/** State of a rule for one device. */
export interface FoldState {
  /** Time since which `when` holds, in Unix seconds; null if it does not hold or an episode is open. */
  since: number | null;
  /** Time of the last record that met `when`, in Unix seconds; null whenever `since` is. */
  heldAt: number | null;
  isOpen: boolean;
}

/** A change of a rule's state for a device. */
export interface Change<Record = unknown> {
  kind: 'opened' | 'closed';
  sample: Sample<Record>;
}

/** State of a rule before it has evaluated a record. */
export const initialState: FoldState = { since: null, heldAt: null, isOpen: false };

/** Folds samples, which are in order of time, into a state. Returns the new state and all changes in order. */
export function fold<Record>(
  rule: FoldRule,
  state: FoldState,
  samples: readonly Sample<Record>[],
): { state: FoldState; changes: Change<Record>[] } {
  const changes: Change<Record>[] = [];
  let current = state;
  for (const sample of samples) {
    const next = step(rule, current, sample);
    if (next.isOpen !== current.isOpen) changes.push({ kind: next.isOpen ? 'opened' : 'closed', sample });
    current = next;
  }
  return { state: current, changes };
}

function step(rule: FoldRule, state: FoldState, { ts, when, until }: Sample): FoldState {
  // A record that meets both conditions keeps the episode open. Else equal records would open and close it in turn.
  if (state.isOpen) return until === true && when !== true ? initialState : state;
  if (when === undefined) return state;
  if (!when) return initialState;
  const isGap = state.heldAt !== null && ts - state.heldAt > rule.maxGap;
  const since = state.since === null || isGap ? ts : state.since;
  return ts - since >= rule.for ? { ...initialState, isOpen: true } : { since, heldAt: ts, isOpen: false };
}
