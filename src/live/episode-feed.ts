import sql, { type Sql } from 'sql-template-tag';
import { clockSkew, currentSnapshot, unseen, wholeXid } from '#database/visibility.js';
import type { Episode } from '#entities/episode.js';
import { firstId } from '#entities/id.js';
import { createFeed, type Feed } from './feed.js';
import { type CommittedRow, type FeedQuestion, type FeedShared, pageSize, type Subscriber } from './feed-options.js';

/** A subscriber to the episodes of the application that its claim names. */
export type EpisodeSubscriber = Subscriber<Episode>;

export interface EpisodeFeedOptions extends FeedShared {
  /** Builds the query of episodes in their published shape, from `episode e`. `also` adds columns after a comma. */
  rows: (also: Sql) => Sql;
}

type StoredRow = Episode & { liveXid: string };

/**
 * Creates the feed of episodes. It publishes an episode when it opens, is acknowledged and closes. No notices are sent:
 * the full poll of every second finds them.
 */
export const createEpisodeFeed = ({
  rows: published,
  ...shared
}: EpisodeFeedOptions): Feed<Episode, EpisodeSubscriber> =>
  createFeed<Episode, CommittedRow<Episode>, EpisodeSubscriber>({
    ...shared,
    onDemand: () => undefined,
    remembered: 0,
    async read(question, pool) {
      const { text, values } = episodesQuery(question, published);
      const { rows } = await pool.query<StoredRow>({ text, values });
      return rows.map(({ liveXid, ...item }) => ({
        key: `${item.id} ${liveXid}`,
        cursor: item.id,
        xid: liveXid,
        item,
        size: 500 + JSON.stringify([item.openedBy, item.closedBy]).length,
      }));
    },
    sort(rows, subscribers) {
      const byApplication = Map.groupBy(rows, ({ item }) => item.applicationId);
      return new Map(
        subscribers.flatMap((someone) => {
          const some = byApplication.get(someone.claim.applicationId!);
          return some === undefined ? [] : [[someone, some] as const];
        }),
      );
    },
  });

const episodesQuery = (question: FeedQuestion<EpisodeSubscriber>, published: EpisodeFeedOptions['rows']): Sql => {
  const xid = wholeXid(sql`e.xmin`);
  const { subscribers, since, after } = question;
  const applications = [...new Set(subscribers.map(({ claim }) => claim.applicationId!))];
  return sql`
    select f.* from ${currentSnapshot} cross join lateral (
      ${published(sql`, ${xid}::text as "liveXid"`)}
       where e.application_id = any(${applications}::uuid[]) and e.updated_at >= ${new Date(since - clockSkew)}
         and e.id > ${after ?? firstId(0)}::uuid and ${unseen(xid, question)}
       order by e.id limit ${pageSize}::int) f`;
};
