import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';
import { backOff } from '#scheduling/back-off.js';
import { type Result, settleQuery } from './settle.js';

/**
 * Number of waiting results at which a batch is written. It is also written if no call is in flight whose result could
 * join it.
 */
const minBatch = 200;
/** Maximum wait of a batch's first result, in milliseconds. */
const maxWait = 16;
/** Maximum number of results of a batch. */
const maxBatch = 500;
/** Maximum wait between two tries to write a batch, in milliseconds. No delivery is settled meanwhile. */
const maxBackOff = 2000;

/** Writes the results of claimed deliveries in batches. */
export interface Settler {
  add(result: Result): void;
  /** Resolves when everything added so far is written. */
  drain(): Promise<void>;
}

export interface SettlerOptions {
  pool: Queryable;
  clock: () => number;
  log: Logger;
  /** Number of deliveries that are claimed and not settled. */
  underWay(): number;
  /** Called for each batch after it is written. */
  onSettled(results: readonly Result[]): void;
}

/** Creates a settler. It keeps results that it cannot write, and retries until the database is back. */
export function createSettler({ pool, clock, log, underWay, onSettled }: SettlerOptions): Settler {
  let waiting: Result[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** Answers come in bursts: a due batch is written after the whole burst has joined it. */
  let due: NodeJS.Immediate | undefined;
  let writing: Promise<void> | undefined;

  const write = async () => {
    while (waiting.length > 0) {
      let batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      for (let failures = 0; ; failures++) {
        try {
          const { rows } = await pool.query<{ disabledHooks: string[] | null }>(
            namedStatement('settle', settleQuery(batch, clock())),
          );
          for (const hook of rows[0]?.disabledHooks ?? []) log.warn({ hook }, 'Hook disabled');
          break;
        } catch (error) {
          if (failures === 0) log.error({ err: error }, 'Deliveries cannot be settled; trying again');
          // An answer that the database cannot store must not block the others.
          if (isData(error)) batch = batch.map(withoutAnswer);
          await delay(backOff(failures, maxBackOff));
        }
      }
      onSettled(batch);
    }
  };
  const flush = () => {
    clearTimeout(timer);
    clearImmediate(due);
    timer = undefined;
    due = undefined;
    writing ??= write().finally(() => {
      writing = undefined;
      if (waiting.length > 0) void flush();
    });
    return writing;
  };

  return {
    add(result) {
      waiting.push(result);
      if (waiting.length >= Math.min(minBatch, underWay())) due ??= setImmediate(() => void flush());
      else timer ??= setTimeout(() => void flush(), maxWait);
    },
    async drain() {
      while (waiting.length > 0 || writing) await flush();
    },
  };
}

/** Whether the database refused a value (SQLSTATE class 22), as opposed to being unreachable or busy. */
const isData = (error: unknown) => String((error as { code?: unknown } | undefined)?.code).startsWith('22');

const withoutAnswer = (result: Result): Result =>
  result.attempt ? { ...result, attempt: { ...result.attempt, response: null } } : result;
