import type { AlertCondition } from '../entities/alert-condition.js';
import { comparedValues, judge } from './condition.js';
import { newEpisodeId, type Turn } from './episode.js';
import { fold, type Sample } from './fold.js';
import type { Watch } from './rule.js';
import type { NewState, StoredState } from './state.js';

/** A record as it was just stored. */
export interface AlertRecord {
  id: string;
  /** Unix seconds. */
  ts: number;
  data: Readonly<Record<string, unknown>>;
  device: { id: string; organizationId: string; product?: { id: string } };
}

/** Which records meet a query; undefined of those that it cannot be answered for. */
export type QueryAnswers = (condition: AlertCondition, record: AlertRecord) => boolean | undefined;

/** What a rule decides about a device. */
export interface Decision {
  watch: Watch;
  /** Absent: the stored state stays. */
  state?: NewState;
  turns: Turn[];
  /** Of the turns, those that are told. */
  told: Turn[];
}

/** Decides a threshold rule over the records of one device that are not behind its state, in the order of their time. */
export function decideThreshold(
  watch: Watch,
  before: StoredState | undefined,
  records: readonly AlertRecord[],
  answers: QueryAnswers,
  now: Date,
): Decision {
  const holds = (condition: AlertCondition, record: AlertRecord) =>
    condition.query == null ? judge(condition, record.data) : answers(condition, record);
  // The usual case, of each rule and device of every transaction: nothing was wrong, and nothing is.
  const isCalm = before === undefined || (before.episodeId === null && before.since === null);
  if (isCalm && !records.some((record) => holds(watch.when!, record))) return { watch, turns: [], told: [] };
  const samples = records.map((record): Sample<AlertRecord> => {
    const when = holds(watch.when!, record);
    const until = watch.until === null ? (when === undefined ? undefined : !when) : holds(watch.until, record);
    return { ts: record.ts, when, until, record };
  });
  const from = { since: before?.since ?? null, heldAt: before?.heldAt ?? null, isOpen: before?.episodeId != null };
  const { state, changes } = fold(watch, from, samples);
  let episodeId = before?.episodeId ?? null;
  const turns = changes.map(({ kind, sample: { record } }): Turn => {
    if (kind === 'opened') episodeId = newEpisodeId();
    const { id: recordId, ts, data } = record;
    const by = { recordId, ts, values: comparedValues([watch.when, watch.until], data) };
    const turn: Turn = { kind, episodeId: episodeId!, watch, at: ts, by };
    if (kind === 'opened') return turn;
    episodeId = null;
    return { ...turn, reason: 'cleared' };
  });
  const isKept = state.isOpen || state.since !== null;
  const isChanged =
    turns.length > 0 ||
    state.since !== from.since ||
    state.heldAt !== from.heldAt ||
    (isKept && watch.closeAfter !== null);
  if (!isChanged) return { watch, turns, told: [] };
  const { ruleId, applicationId, deviceId, closeAfter } = watch;
  const dueAt = state.isOpen && closeAfter !== null ? new Date(now.getTime() + closeAfter * 1000) : null;
  const { since, heldAt } = state;
  const next = { ruleId, applicationId, deviceId, since, heldAt, episodeId, dueAt, arrivedAt: null };
  return { watch, state: next, turns, told: toldOf(turns, before?.episodeId ?? null, episodeId) };
}

/** A silence ends with the first record that arrives, of its variable where it has one. */
export function decideSilence(
  watch: Watch,
  before: StoredState | undefined,
  records: readonly AlertRecord[],
  now: Date,
): Decision {
  const { variable, ruleId, applicationId, deviceId } = watch;
  const record = records.find(({ data }) => variable === null || data[variable] != null);
  const isSilent = before?.episodeId != null;
  if (record === undefined || (variable === null && !isSilent)) return { watch, turns: [], told: [] };
  const by = { recordId: record.id, ts: record.ts, values: comparedOf(variable, record) };
  const turns: Turn[] = isSilent
    ? [{ kind: 'closed', episodeId: before.episodeId!, watch, at: now.getTime() / 1000, by, reason: 'arrived' }]
    : [];
  const dueAt = new Date(now.getTime() + watch.silentFor! * 1000);
  const state = { ruleId, applicationId, deviceId, since: null, heldAt: null, episodeId: null, dueAt, arrivedAt: now };
  return { watch, state, turns, told: turns };
}

const comparedOf = (variable: string | null, { data }: AlertRecord) =>
  variable === null ? {} : { [variable]: data[variable] };

/** The end of the episode that was open before, and the opening of the one that is open now. What opened and closed in between is not told. */
const toldOf = (turns: readonly Turn[], before: string | null, after: string | null): Turn[] =>
  before === after
    ? []
    : turns.filter(
        ({ kind, episodeId }) =>
          (kind === 'closed' && episodeId === before) || (kind === 'opened' && episodeId === after),
      );
