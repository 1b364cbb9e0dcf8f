/** A record as one rule sees it. */
export interface Sample<Record = unknown> {
  /** Unix seconds. */
  ts: number;
  /** Whether the record meets `when`, and `until`; undefined where it does not tell. */
  when: boolean | undefined;
  until: boolean | undefined;
  record: Record;
}

/** How a rule judges durations, in seconds. */
export interface FoldRule {
  for: number;
  maxGap: number;
}

/** What a rule keeps of one device. */
export interface FoldState {
  /** Since when `when` has held without an episode; null where it does not hold. Unix seconds. */
  since: number | null;
  /** The last record that showed so. */
  heldAt: number | null;
  isOpen: boolean;
}

/** A change of a rule's state for a device. */
export interface Change<Record = unknown> {
  kind: 'opened' | 'closed';
  sample: Sample<Record>;
}

/** The state of a rule that has judged nothing. */
export const initialState: FoldState = { since: null, heldAt: null, isOpen: false };

/** Folds samples, in the order of their time, into a state. Returns the new state, and every change in order. */
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
  if (state.isOpen) return until === true ? initialState : state;
  if (when === undefined) return state;
  if (!when) return initialState;
  const isGap = state.heldAt !== null && ts - state.heldAt > rule.maxGap;
  const since = state.since === null || isGap ? ts : state.since;
  return ts - since >= rule.for ? { ...initialState, isOpen: true } : { since, heldAt: ts, isOpen: false };
}
