import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Snapshot } from './snapshot.js';

/**
 * A look at everything: its snapshot (`pg_current_snapshot`), and the earliest time (milliseconds) at which rows that it did
 * not see may have been made.
 */
export interface Position {
  readonly seen: string;
  readonly since: number;
}

/** What a subscriber has been given: all that a look saw, and things after it, by {@link hashOf} their keys. */
export interface Given extends Position {
  readonly after: readonly string[];
}

/** Most things since the look that a cursor names. What comes beyond them before the next look is given twice to a subscriber that resumes. */
const maxKeys = 500;
/** Stands for the key of a thing in a cursor. Two keys share one in 2^72. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 12);

/** Counts what a subscriber has been given, for its cursor. */
export class Progress {
  private after: string[];

  constructor(private position: Position | Given) {
    this.after = 'after' in position ? [...position.after] : [];
  }

  /** Everything that this look saw has been given. */
  reach(position: Position): void {
    this.position = position;
    this.after = [];
  }

  /** A thing has been given that no look has yet seen. */
  give(key: string): void {
    if (this.after.length < maxKeys) this.after.push(key);
  }

  /** The last look that was given whole. */
  get since(): number {
    return this.position.since;
  }

  /** The cursor of what has been given so far, made on demand. */
  cursor(): () => string {
    const { seen, since } = this.position;
    // Keys that came with a cursor are hashes already, which are shorter than any key.
    const after = this.after.slice();
    return () => encode({ seen, since, after: after.map((key) => (isHash(key) ? key : hashOf(key))) });
  }
}

const isHash = (text: string): boolean => /^[\w-]{12}$/.test(text);

const encode = ({ seen, since, after }: Given): string =>
  Buffer.from(JSON.stringify([seen, Math.floor(since), after.join('')])).toString('base64url');

/** The last time that a date can have, in milliseconds since 1970. */
const lastTime = 8.64e15;

const content = z.tuple([z.string(), z.number().min(0).max(lastTime), z.string()]);

/** Reads a cursor; undefined where it is not one that this service wrote. */
export function parseCursor(text: string): Given | undefined {
  try {
    const [seen, since, after] = content.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return Snapshot.isWritten(seen) ? { seen, since, after: after.match(/.{12}/g) ?? [] } : undefined;
  } catch {
    return undefined;
  }
}
