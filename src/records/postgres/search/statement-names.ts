import { createHash } from 'node:crypto';

/** A name that is of one text alone: PostgreSQL refuses a second text under a name. */
export const nameOfText = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Each takes some hundred kilobytes of every connection that asks it. */
const maxNames = 20;
const maxSeen = 100;

/**
 * Names under which statements that come again are kept prepared. Whoever asks many different ones takes no more than so many
 * names.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private readonly seen = new Set<string>();

  /** The name of a text that was asked before; undefined where it is asked for the first time, or there are no names left. */
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
