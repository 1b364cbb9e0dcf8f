import { createHash } from 'node:crypto';

/** Returns a name unique to a text: PostgreSQL rejects a second text under the same name. */
export const nameOfText = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Maximum number of names. Each prepared statement takes some hundred kilobytes in every connection that runs it. */
const maxNames = 20;
const maxSeen = 100;

/**
 * Names of repeated statements, under which they are kept prepared. Their number is limited, however many different
 * statements a caller sends.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private readonly seen = new Set<string>();

  /** Returns the name of a text seen before; undefined for a new one, or if no names are left. */
  nameOf(text: string): string | undefined {
    const name = this.names.get(text);
    if (name !== undefined || this.names.size === maxNames) return name;
    if (this.seen.delete(text)) this.names.set(text, nameOfText(text));
    else this.note(text);
    return this.names.get(text);
  }

  private note(text: string): void {
    const [oldest] = this.seen;
    if (this.seen.size === maxSeen) this.seen.delete(oldest!);
    this.seen.add(text);
  }
}
