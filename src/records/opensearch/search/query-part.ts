import type { Part } from '../engine.js';

/** Matches every record. */
export const matchAll: Part = { match_all: {} };

/** Matches no record. */
export const matchNone: Part = { match_none: {} };

/** Matches if all parts match. */
export const allOf = (parts: readonly Part[]): Part =>
  parts.length === 1 ? parts[0]! : parts.length === 0 ? matchAll : { bool: { filter: parts } };

/** Matches if no part matches. */
export const noneOf = (parts: readonly Part[]): Part => ({ bool: { must_not: parts } });

/** Matches if at least one part matches. */
export const anyOf = (parts: readonly Part[]): Part =>
  parts.length === 1
    ? parts[0]!
    : parts.length === 0
      ? matchNone
      : { bool: { should: parts, minimum_should_match: 1 } };
