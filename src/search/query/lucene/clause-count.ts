import { LuceneSyntaxError } from './syntax-error.js';

/** How many clauses a written query may have, as Lucene's `maxClauseCount`. */
const maxClauses = 1024;

/** How deep the parentheses of a written query may nest. */
export const maxNesting = 64;

/** Counts the clauses of one written query. */
export class ClauseCount {
  private count = 0;

  /** @throws LuceneSyntaxError where they become too many. */
  add(): void {
    this.count += 1;
    if (this.count > maxClauses) throw new LuceneSyntaxError(`maxClauseCount is set to ${maxClauses}`);
  }
}

/** A written query whose parentheses nest deeper than {@link maxNesting}. */
export const nestsTooDeep = (text: string): LuceneSyntaxError =>
  new LuceneSyntaxError(`Cannot parse '${text}': parentheses nest deeper than ${maxNesting}`);
