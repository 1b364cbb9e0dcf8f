import sql, { type Sql } from 'sql-template-tag';
import { clockSkew, currentSnapshot, unseen, wholeXid } from '#database/visibility.js';
import { firstId } from '#entities/id.js';
import type { Job } from '#entities/job.js';
import { createFeed, type Feed } from './feed.js';
import { type CommittedRow, type FeedQuestion, type FeedShared, pageSize, type Subscriber } from './feed-options.js';

/** A subscriber to the jobs of an organization. */
export interface JobSubscriber extends Subscriber<Job> {
  /** Restricts the subscription to one job. */
  readonly jobId?: string;
}

type JobRow = CommittedRow<Job>;

type StoredRow = Job & { liveXid: string };

/**
 * Creates the feed of jobs. It publishes a job after every step. No notices are sent for jobs: the full poll of every
 * second finds them.
 */
export const createJobFeed = (shared: FeedShared): Feed<Job, JobSubscriber> =>
  createFeed<Job, JobRow, JobSubscriber>({
    ...shared,
    onDemand: () => undefined,
    // A worker that releases a job writes a new version of its row without a visible change.
    remembered: 60_000,
    async read(question, pool) {
      const { text, values } = jobsQuery(question);
      const { rows } = await pool.query<StoredRow>({ text, values });
      return rows.map(rowOf);
    },
    sort(rows, subscribers) {
      const byOrganization = Map.groupBy(rows, ({ item }) => item.organizationId);
      return new Map(
        subscribers.flatMap((someone) => {
          const all = byOrganization.get(someone.organizationId) ?? [];
          const some = all.filter(({ item }) => someone.jobId === undefined || item.id === someone.jobId);
          return some.length === 0 ? [] : [[someone, some] as const];
        }),
      );
    },
  });

const jobsQuery = (question: FeedQuestion<JobSubscriber>): Sql => {
  const xid = wholeXid(sql`j.xmin`);
  const organizations = [...new Set(question.subscribers.map(({ organizationId }) => organizationId))];
  return sql`
    select f.* from ${currentSnapshot} cross join lateral (
      select j.id, j.organization_id as "organizationId", j.kind, j.state, j.done::float8 as done, j.total::float8 as total,
             j.changed::float8 as changed, j.error, j.created_at as "createdAt", j.updated_at as "updatedAt",
             ${xid}::text as "liveXid"
        from job j
       where j.organization_id = any(${organizations}::uuid[]) and j.updated_at >= ${new Date(question.since - clockSkew)}
         and j.id > ${question.after ?? firstId(0)}::uuid and ${unseen(xid, question)}
       order by j.id limit ${pageSize}::int) f`;
};

const rowOf = ({ liveXid, ...item }: StoredRow): JobRow => ({
  key: [item.id, item.updatedAt, item.state, item.done, item.changed].join(' '),
  cursor: item.id,
  xid: liveXid,
  item,
  size: 500 + (item.error?.length ?? 0),
});
