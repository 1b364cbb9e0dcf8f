import { SearchFailure } from '../search/failure.js';
import { durationOf } from '../search/syntax/duration.js';
import { type Call, parameter } from './call.js';
import { badArgument } from './error.js';

/*
 * Parameters of a query string that name themselves in their refusal, as the engines' do. Their values are then read where
 * a body's are.
 */

/** @throws EngineFailure 400 where a parameter came that is no integer of 32 bits, and none of the `words`. */
export const requireInteger = (call: Call, name: string, words: readonly string[] = []): void => {
  const value = parameter(call, name);
  if (value === undefined || words.includes(value)) return;
  if (/^[+-]?\d+$/.test(value) && Math.abs(Number(value) + 0.5) <= 2 ** 31) return;
  const reason = `For input string: "${value}"`;
  throw badArgument(`Failed to parse int parameter [${name}] with value [${value}]`, {
    type: 'number_format_exception',
    reason,
  });
};

/** @throws EngineFailure 400 where a parameter came that is no time value such as `30s`. */
export const requireTime = (call: Call, name: string): void => {
  const value = parameter(call, name);
  if (value !== undefined) millisOf(value, name);
};

/** A time value such as `30s` in milliseconds. @throws EngineFailure 400 for anything else. */
export const millisOf = (value: string, name: string): number => {
  try {
    return durationOf(value, nowhere, name);
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    throw badArgument(error.reason, error.causedBy);
  }
};

const nowhere = { line: 0, col: 0, path: '' };
