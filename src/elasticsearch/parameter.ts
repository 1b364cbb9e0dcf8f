import { SearchFailure } from '#search/search-failure.js';
import { durationOf } from '#search/syntax/duration.js';
import { type Call, parameter } from './call.js';
import { badArgument } from './error.js';

/*
 * Checks parameters of a query string whose errors name the parameter, as the engines' errors do. Their values are
 * later parsed like those of a body.
 */

/**
 * Checks a parameter.
 * @throws EngineFailure 400 if it is neither an integer of 32 bits nor one of the `words`
 */
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

/**
 * Checks a parameter.
 * @throws EngineFailure 400 if it is not a time value such as `30s`
 */
export const requireTime = (call: Call, name: string): void => {
  const value = parameter(call, name);
  if (value !== undefined) millisOf(value, name);
};

/**
 * Converts a time value such as `30s` to milliseconds.
 * @throws EngineFailure 400 for other values
 */
export const millisOf = (value: string, name: string): number => {
  try {
    return durationOf(value, nowhere, name);
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    throw badArgument(error.reason, error.causedBy);
  }
};

const nowhere = { line: 0, col: 0, path: '' };
