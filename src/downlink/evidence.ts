import { CommandState, type CommandStateName, type EvidenceKindName } from '#entities/command.js';

/** Evidence as far as the state of its command depends on it. */
export interface Evidence {
  kind: EvidenceKindName;
  /** Milliseconds since the epoch. */
  at: number;
  code?: string | null | undefined;
  detail?: unknown;
}

/** A state that evidence amounts to. Without evidence, a command waits. */
export interface Finding {
  state: CommandStateName;
  /** The evidence that decides. */
  by?: Evidence;
}

const usual = Object.keys(CommandState) as CommandStateName[];
/** A confirmed command that was sent may still fail: the device does not confirm it. */
const ofConfirmed = usual.map((state) =>
  state === 'failed' ? 'transmitted' : state === 'transmitted' ? 'failed' : state,
);

/** Returns the states of commands, the least known first. */
export const stateOrder = (confirmed: boolean): readonly CommandStateName[] => (confirmed ? ofConfirmed : usual);

/**
 * Returns the state that evidence amounts to: the highest that any of it speaks for. Neither order nor repetition of the
 * evidence matters. Among evidence of one kind the earliest decides; at the same time, the one whose text sorts first.
 */
export function findState(evidence: readonly Evidence[], confirmed: boolean): Finding {
  const order = stateOrder(confirmed);
  let finding: Finding = { state: 'waiting' };
  for (const one of evidence) {
    if (one.kind === 'noted') continue;
    const [rank, reached] = [order.indexOf(one.kind), order.indexOf(finding.state)];
    if (rank > reached || (rank === reached && finding.by !== undefined && isBefore(one, finding.by)))
      finding = { state: one.kind, by: one };
  }
  return finding;
}

const isBefore = (one: Evidence, other: Evidence): boolean =>
  one.at !== other.at ? one.at < other.at : textOf(one) < textOf(other);

const textOf = ({ code, detail }: Evidence): string => JSON.stringify([code ?? null, detail ?? null]);

/** Whether something is still to be done for a command: to hand it over, or to note that no answer came. */
export const isOpen = (state: CommandStateName): boolean => state === 'waiting' || state === 'handed';
