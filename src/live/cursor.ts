import { createHash } from 'node:crypto';
import { z } from 'zod';
import { TransactionSnapshot } from './snapshot.js';

/**
 * Position of a full poll: its snapshot (`pg_current_snapshot`), and the earliest time (milliseconds) at which rows
 * that the snapshot did not see may have been made.
 */
export interface PollPosition {
  readonly seen: string;
  readonly since: number;
}

/** Items given to a subscriber: all that a snapshot saw, and items after it, by {@link keyHash} their keys. */
export interface GivenItems extends PollPosition {
  readonly after: readonly string[];
}

/**
 * Maximum number of items after the snapshot that a cursor names. A subscriber that resumes gets further ones twice.
 */
const maxKeys = 500;
/** Returns the short form of an item's key in a cursor. Two keys share one with a probability of 1 in 2^72. */
export const keyHash = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 12);

/** Tracks what a subscriber has been given, for its cursor. */
export class Progress {
  private after: string[];

  constructor(private position: PollPosition | GivenItems) {
    this.after = 'after' in position ? [...position.after] : [];
  }

  /** Notes that everything which this snapshot saw has been given. */
  reach(position: PollPosition): void {
    this.position = position;
    this.after = [];
  }

  /** Notes that an item has been given that no snapshot has seen yet. */
  give(key: string): void {
    if (this.after.length < maxKeys) this.after.push(key);
  }

  /** Time of the last position that was given completely, in milliseconds. */
  get since(): number {
    return this.position.since;
  }

  /** Returns a function that encodes the cursor of what has been given so far. */
  cursor(): () => string {
    const { seen, since } = this.position;
    // Keys that came from a cursor are hashes already, which are shorter than any key.
    const after = this.after.slice();
    return () => encode({ seen, since, after: after.map((key) => (isHash(key) ? key : keyHash(key))) });
  }
}

const isHash = (text: string): boolean => /^[\w-]{12}$/.test(text);

const encode = ({ seen, since, after }: GivenItems): string =>
  Buffer.from(JSON.stringify([seen, Math.floor(since), after.join('')])).toString('base64url');

/** Maximum time of a date, in milliseconds since 1970. */
const lastTime = 8.64e15;

const content = z.tuple([z.string(), z.number().min(0).max(lastTime), z.string()]);

/** Reads a cursor. Returns undefined if this service did not write it. */
export function parseCursor(text: string): GivenItems | undefined {
  try {
    const [seen, since, after] = content.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return TransactionSnapshot.isWritten(seen) ? { seen, since, after: after.match(/.{12}/g) ?? [] } : undefined;
  } catch {
    return undefined;
  }
}
