import { LuceneSyntaxError } from './syntax-error.js';

/** Maximum number of clauses of a written query, as Lucene's `maxClauseCount`. */
const maxClauses = 1024;

/** Maximum nesting of the parentheses of a written query. */
export const maxNesting = 64;

/** Counts the clauses of one written query. */
export class ClauseCount {
  private count = 0;

  /** @throws LuceneSyntaxError above the limit */
  add(): void {
    this.count += 1;
    if (this.count > maxClauses) throw new LuceneSyntaxError(`maxClauseCount is set to ${maxClauses}`);
  }
}

/** Creates the error of a written query that nests deeper than {@link maxNesting}. */
export const nestsTooDeep = (text: string): LuceneSyntaxError =>
  new LuceneSyntaxError(`Cannot parse '${text}': parentheses nest deeper than ${maxNesting}`);
