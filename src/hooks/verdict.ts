import type { CallOutcome, Phases } from '#calls/caller.js';
import { CallFault } from '#calls/fault.js';
import type { Redaction } from '#calls/redaction.js';
import { retryAfter, waitAfter } from '#calls/retry-schedule.js';
import { storedAnswer } from './answer.js';
import type { Claimed } from './claim.js';
import type { Result } from './settle.js';

export interface VerdictOptions {
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  clock: () => number;
  random: () => number;
}

/** A call that was made. */
export interface MadeCall {
  delivery: Claimed;
  /** Time of the call, in milliseconds since 1970. */
  at: number;
  /** Stored form of the request: JSON text. */
  request?: string;
  /** Removes the hook's secrets from the answer; absent if no call was made. */
  redaction?: Redaction;
  outcome: CallOutcome;
}

/** Decides the state of a delivery after a call (contract, section 11). */
export function judge(
  { schedule, clock, random }: VerdictOptions,
  { delivery, at, request, redaction, outcome }: MadeCall,
): Result {
  const { answer, fault, phases } = outcome;
  // The stop of this service cut the call off: it is not an attempt, and is due again at once.
  const answeredAt = clock();
  const took = phases.connect + phases.wait + phases.read;
  if (!answer && !fault) return { delivery, state: 'pending', wait: 0, took, answeredAt };

  const status = answer?.statusCode;
  const succeeded = status !== undefined && status >= 200 && status < 300;
  const requested =
    status === 429 || status === 503 ? retryAfter(single(answer?.headers['retry-after']), answeredAt) : undefined;
  const wait =
    succeeded || status === 410
      ? undefined
      : waitAfter(schedule, delivery.maxAttempts - delivery.attemptsMade - 1, random(), requested);
  const error = fault && { code: fault.code, message: fault.message };
  return {
    delivery,
    state: succeeded ? 'succeeded' : wait === undefined ? 'failed' : 'pending',
    wait: wait ?? 0,
    took,
    answeredAt,
    attempt: {
      request: request ?? null,
      response: answer && redaction ? storedAnswer(answer, redaction) : null,
      error: error ? JSON.stringify(error) : null,
      truncated: answer?.truncated ?? false,
      outcome: fault?.code ?? (succeeded ? 'success' : 'failure'),
      line: JSON.stringify({
        at: new Date(at).toISOString(),
        duration: durations(phases, took),
        statusCode: status,
        error,
      }),
    },
    health: succeeded ? 'success' : status === 410 ? 'gone' : fault?.ours ? undefined : 'failure',
  };
}

/** Ends a delivery that waited too long for its hook to be enabled, without an attempt. */
export const expire = (delivery: Claimed, now: number): Result => ({
  delivery,
  state: 'failed',
  wait: 0,
  took: 0,
  answeredAt: now,
});

/** Outcome for a stored hook that cannot be called: its secrets do not open, or its address is forbidden. */
export const uncallableOutcome = (message: string): CallOutcome => ({
  fault: new CallFault('BLOCKED', message, true),
  sent: false,
  phases: { connect: 0, wait: 0, read: 0 },
});

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

/** Rounds durations to a tenth of a millisecond. */
const durations = ({ connect, wait, read }: Phases, total: number) => ({
  connect: rounded(connect),
  wait: rounded(wait),
  read: rounded(read),
  total: rounded(total),
});

const rounded = (milliseconds: number) => Math.round(milliseconds * 10) / 10;
