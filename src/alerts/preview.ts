import { hourSeconds } from '#common/time.js';
import type { AlertCondition } from '#entities/alert-condition.js';
import { orderTime } from '#scheduling/order-time.js';
import { comparedValues, evaluate, valuesOf } from './condition.js';
import type { ByRecord } from './episode.js';
import { type FoldState, fold, initialState, type Sample } from './fold.js';
import type { Rule } from './rule.js';

/** The part of a rule that decides. A preview needs no stored rule. */
export type PreviewRule = Pick<Rule, 'when' | 'until' | 'for' | 'maxGap' | 'closeAfter' | 'silentFor' | 'variable'>;

/** A stored record. */
export interface PreviewRecord {
  id: string;
  /** Unix seconds. */
  ts: number;
  /** Time of arrival, Unix seconds. */
  arrivedAt: number;
  data: Readonly<Record<string, unknown>>;
}

/** An episode that the rule would have opened. Times are Unix seconds. */
export interface Previewed {
  openedAt: number;
  openedBy: ByRecord | null;
  closedAt: number | null;
  closedBy: ByRecord | null;
}

/** Whether a record meets the query of a condition; undefined if that is not known. */
export type PreviewAnswers = (condition: AlertCondition, record: PreviewRecord) => boolean | undefined;

/** Replays a rule over the records of one device, which it takes page by page, in order of `ts`. */
export interface Follower {
  take(records: readonly PreviewRecord[], answers: PreviewAnswers): void;
  /** Returns the episodes as they stand at a time (Unix seconds). */
  end(at: number): Previewed[];
}

/** A record with its order time (see `orderTime`), and with the values of the rule. */
type Followed = Sample<ByRecord>;

/**
 * Maximum number of seconds by which a record is ahead, with a margin. Later records than that do not come before one
 * in the order of rules.
 */
export const mostAhead = 25 * hourSeconds;

/** Replays a threshold rule by the same fold that decides stored rules, in the same order. */
export function followThreshold(rule: PreviewRule): Follower {
  const episodes: Previewed[] = [];
  let state: FoldState = initialState;
  let last = Number.NEGATIVE_INFINITY;
  let waiting: Followed[] = [];
  const closeAt = (at: number) => {
    const open = episodes.at(-1);
    if (rule.closeAfter === null || open === undefined || open.closedAt !== null || at - last <= rule.closeAfter)
      return;
    Object.assign(open, { closedAt: last + rule.closeAfter });
    state = initialState;
  };
  const holds = (condition: AlertCondition, record: PreviewRecord, answers: PreviewAnswers) =>
    condition.query == null ? evaluate(condition, record.data) : answers(condition, record);
  const decide = (sample: Followed) => {
    const { ts, record: by } = sample;
    closeAt(ts);
    const next = fold(rule, state, [sample]);
    state = next.state;
    last = ts;
    for (const { kind } of next.changes) {
      if (kind === 'opened') episodes.push({ openedAt: ts, openedBy: by, closedAt: null, closedBy: null });
      else Object.assign(episodes.at(-1)!, { closedAt: ts, closedBy: by });
    }
  };
  /** Decides the waiting records up to an order time. */
  const decideUpTo = (at: number) => {
    const sorted = waiting.toSorted((a, b) => a.ts - b.ts || a.record.ts - b.record.ts);
    const end = sorted.findIndex(({ ts }) => ts > at);
    waiting = end < 0 ? [] : sorted.slice(end);
    for (const sample of end < 0 ? sorted : sorted.slice(0, end)) decide(sample);
  };
  return {
    take(records, answers) {
      for (const record of records) {
        const { id: recordId, ts, data } = record;
        const when = holds(rule.when!, record, answers);
        const until =
          rule.until === null ? (when === undefined ? undefined : !when) : holds(rule.until, record, answers);
        const by = { recordId, ts, values: comparedValues([rule.when, rule.until], data) };
        waiting.push({ ts: orderTime(ts, record.arrivedAt * 1000), when, until, record: by });
      }
      if (waiting.length > 0) decideUpTo(waiting.at(-1)!.record.ts - mostAhead);
    },
    end(at) {
      decideUpTo(at);
      closeAt(at);
      return episodes;
    },
  };
}

/**
 * Replays a silence rule by the arrival of records.
 * @param from time at which the rule's clock begins, in Unix seconds
 */
export function followSilence({ silentFor, variable }: PreviewRule, from: number): Follower {
  const arrivals: PreviewRecord[] = [];
  return {
    take(records) {
      arrivals.push(
        ...records
          .map((record) => ({ ...record, data: variable === null ? {} : valuesOf(record.data, [variable]) }))
          .filter(({ data }) => variable === null || Object.keys(data).length > 0),
      );
    },
    end(at) {
      const episodes: Previewed[] = [];
      let heard = from;
      const silentAt = () => heard + silentFor!;
      for (const { id: recordId, ts, arrivedAt, data: values } of arrivals.toSorted(
        (a, b) => a.arrivedAt - b.arrivedAt,
      )) {
        if (arrivedAt > silentAt()) {
          const closedBy = { recordId, ts, values };
          episodes.push({ openedAt: silentAt(), openedBy: null, closedAt: arrivedAt, closedBy });
        }
        heard = Math.max(heard, arrivedAt);
      }
      if (at >= silentAt()) episodes.push({ openedAt: silentAt(), openedBy: null, closedAt: null, closedBy: null });
      return episodes;
    },
  };
}
