import type { AlertCondition } from '#entities/alert-condition.js';
import { comparedValues, evaluate, valuesOf } from './condition.js';
import { newEpisodeId, type Transition } from './episode.js';
import { fold, type Sample } from './fold.js';
import type { Watch } from './rule.js';
import type { NewState, StoredState } from './state.js';

/** A record that the transaction has stored. */
export type StoredAlertRecord = Omit<AlertRecord, 'at'>;

/** A record as rules decide it. */
export interface AlertRecord {
  id: string;
  /** Unix seconds. */
  ts: number;
  /** Time by which rules order records, in Unix seconds (see `orderTime`). */
  at: number;
  data: Readonly<Record<string, unknown>>;
  device: { id: string; organizationId: string; product?: { id: string } };
}

/** Whether a record meets the query of a condition; undefined if that is not known. */
export type QueryAnswers = (condition: AlertCondition, record: AlertRecord) => boolean | undefined;

/** A rule's decision about a device. */
export interface Decision {
  watch: Watch;
  /** The new state; absent if the stored state stays. */
  state?: NewState;
  transitions: Transition[];
  /** Transitions of which hooks and e-mail recipients are notified. */
  notified: Transition[];
}

/**
 * Decides a threshold rule over records of one device. The records are in order of time, and none is older than the
 * state.
 */
export function decideThreshold(
  watch: Watch,
  before: StoredState | undefined,
  records: readonly AlertRecord[],
  answers: QueryAnswers,
  now: Date,
): Decision {
  const holds = (condition: AlertCondition, record: AlertRecord) =>
    condition.query == null ? evaluate(condition, record.data) : answers(condition, record);
  // Nearly every rule and device of a transaction ends here: nothing was wrong before, and nothing is wrong now.
  const isCalm = before === undefined || (before.episodeId === null && before.since === null);
  if (isCalm && !records.some((record) => holds(watch.when!, record))) return unchanged(watch);
  const samples = records.map((record): Sample<AlertRecord> => {
    const when = holds(watch.when!, record);
    const until = watch.until === null ? (when === undefined ? undefined : !when) : holds(watch.until, record);
    return { ts: record.at, when, until, record };
  });
  const from = { since: before?.since ?? null, heldAt: before?.heldAt ?? null, isOpen: before?.episodeId != null };
  const { state, changes } = fold(watch, from, samples);
  let episodeId = before?.episodeId ?? null;
  const transitions = changes.map(({ kind, sample: { record } }): Transition => {
    if (kind === 'opened') episodeId = newEpisodeId();
    const { id: recordId, ts, at, data } = record;
    const by = { recordId, ts, values: comparedValues([watch.when, watch.until], data) };
    const transition: Transition = { kind, episodeId: episodeId!, watch, at, by };
    if (kind === 'opened') return transition;
    episodeId = null;
    return { ...transition, reason: 'cleared' };
  });
  const isKept = state.isOpen || state.since !== null;
  const isChanged =
    transitions.length > 0 ||
    state.since !== from.since ||
    state.heldAt !== from.heldAt ||
    (isKept && watch.closeAfter !== null);
  if (!isChanged) return unchanged(watch);
  const { ruleId, applicationId, deviceId, closeAfter } = watch;
  const dueAt = state.isOpen && closeAfter !== null ? new Date(now.getTime() + closeAfter * 1000) : null;
  const { since, heldAt } = state;
  const next = { ruleId, applicationId, deviceId, since, heldAt, episodeId, dueAt, arrivedAt: null };
  const notified = notifiedOf(transitions, before?.episodeId ?? null, episodeId);
  return { watch, state: next, transitions, notified };
}

/**
 * Decides a silence rule over records of one device. The first record ends a silence; if the rule has a variable, the
 * first record with that variable does.
 */
export function decideSilence(
  watch: Watch,
  before: StoredState | undefined,
  records: readonly AlertRecord[],
  now: Date,
): Decision {
  const { variable, ruleId, applicationId, deviceId } = watch;
  const record = records.find(({ data }) => variable === null || Object.keys(valuesOf(data, [variable])).length > 0);
  const isSilent = before?.episodeId != null;
  if (record === undefined || (variable === null && !isSilent)) return unchanged(watch);
  const by = { recordId: record.id, ts: record.ts, values: comparedOf(variable, record) };
  const transitions: Transition[] = isSilent
    ? [{ kind: 'closed', episodeId: before.episodeId!, watch, at: now.getTime() / 1000, by, reason: 'arrived' }]
    : [];
  const dueAt = new Date(now.getTime() + watch.silentFor! * 1000);
  const state = { ruleId, applicationId, deviceId, since: null, heldAt: null, episodeId: null, dueAt, arrivedAt: now };
  return { watch, state, transitions, notified: transitions };
}

const comparedOf = (variable: string | null, { data }: AlertRecord) =>
  variable === null ? {} : valuesOf(data, [variable]);

const unchanged = (watch: Watch): Decision => ({ watch, transitions: [], notified: [] });

/**
 * Returns the closing of the episode that was open before, and the opening of the one that is open now. Episodes that
 * opened and closed in between cause no notice.
 */
const notifiedOf = (transitions: readonly Transition[], before: string | null, after: string | null): Transition[] =>
  before === after
    ? []
    : transitions.filter(
        ({ kind, episodeId }) =>
          (kind === 'closed' && episodeId === before) || (kind === 'opened' && episodeId === after),
      );
