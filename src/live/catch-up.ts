import { invalid } from '#common/errors.js';
import { hourMs } from '#common/time.js';
import { type GivenItems, keyHash, type PollPosition } from './cursor.js';
import { type CommittedRow, type FeedOptions, pageSize, type Subscriber } from './feed-options.js';
import { isTellable, newestThatFit } from './stream.js';

/** Maximum age of a cursor, in milliseconds. */
const maxAge = hourMs;
/** Maximum number of pages that are read for a cursor. */
const maxPages = 20;

/**
 * A subscriber that resumes. `given` is what it received before; from the snapshot `until` on, the feed itself publishes
 * to it.
 */
export interface Return<Someone> {
  someone: Someone;
  given: GivenItems;
  until: PollPosition;
}

/**
 * Pushes what was committed since a cursor. If that is more than a stream holds, only the newest rows are pushed and
 * the others count as missed.
 * @throws ApiError 422 if the cursor is too old, or too much was committed since
 */
export async function readMissed<Item, One extends CommittedRow<Item>, Someone extends Subscriber<Item>>(
  { slowPool, read, sort, choose, isChoosy }: Pick<FeedOptions<Item, One, Someone>, Used>,
  { someone, given, until }: Return<Someone>,
): Promise<void> {
  if (until.since - given.since > maxAge) throw refused('is older than an hour');
  const told = new Set(given.after);
  let found: One[] = [];
  let missed = 0;
  let after: string | undefined;
  for (let pages = 0; ; pages++) {
    if (pages === maxPages) throw refused('is too long ago: too much was stored since');
    const { since, seen } = given;
    const question = { subscribers: [someone], unseenBy: seen, seenBy: until.seen, since };
    const page = await within(read({ ...question, ...(after !== undefined && { after }) }, slowPool));
    const fresh = page.filter(({ key }) => !told.has(keyHash(key)));
    const wanted = sort(fresh, [someone]);
    const chosen = isChoosy?.(someone) === true && wanted.size > 0 ? (await choose!(wanted)).get(someone) : undefined;
    const rows = [...found, ...(chosen?.rows ?? wanted.get(someone) ?? [])];
    found = newestThatFit(rows.filter(isTellable));
    missed += rows.length - found.length + (chosen?.missed ?? 0);
    if (page.length < pageSize) break;
    after = page.at(-1)!.cursor;
  }
  someone.stream.resume(given, found, missed, until);
}

type Used = 'slowPool' | 'read' | 'sort' | 'choose' | 'isChoosy';

const refused = (reason: string) =>
  invalid([{ path: 'after', message: `${reason}: subscribe without it, and query the records instead.` }]);

/** Translates a cancelled read: PostgreSQL cancels one (57014) that has too many rows to scan. */
const within = async <Rows>(reading: Promise<Rows>): Promise<Rows> => {
  try {
    return await reading;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === '57014')
      throw refused('is too long ago: too much was stored since');
    throw error;
  }
};
