import type { Part } from '../engine.js';

/** Every record. */
export const matchAll: Part = { match_all: {} };

/** No record. */
export const matchNone: Part = { match_none: {} };

/** All of several parts. */
export const allOf = (parts: readonly Part[]): Part =>
  parts.length === 1 ? parts[0]! : parts.length === 0 ? matchAll : { bool: { filter: parts } };

/** None of several parts. */
export const noneOf = (parts: readonly Part[]): Part => ({ bool: { must_not: parts } });

/** One of several parts. */
export const anyOf = (parts: readonly Part[]): Part =>
  parts.length === 1
    ? parts[0]!
    : parts.length === 0
      ? matchNone
      : { bool: { should: parts, minimum_should_match: 1 } };
