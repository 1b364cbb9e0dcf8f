import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../../address.js';
import { JobState, jobName } from '../../components/job.js';
import { Page } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { type JobLineFragment, JobsDocument, JobUpdatedDocument } from '../../documents.js';
import { subscribe } from '../../graph.js';
import { organizationId } from '../../session.js';
import { ago, moment, secondsOf } from '../../time.js';
import { useQuery } from '../../use-query.js';

const limit = 25;

const columns: readonly Column<JobLineFragment>[] = [
  { title: 'Job', cell: ({ kind }) => jobName(kind) },
  { title: 'State', cell: (job) => <JobState job={job} /> },
  { title: 'Asked for', sort: 'createdAt', cell: ({ createdAt }) => moment(secondsOf(createdAt)) },
  { title: 'Last went on', cell: ({ updatedAt }) => ago(secondsOf(updatedAt)) },
];

/** Long work that was asked for, the newest first; its progress comes by subscription. */
export function JobsScreen() {
  const address = useAddress();
  const [told, setTold] = useState<ReadonlyMap<string, JobLineFragment>>(new Map());
  const jobs = useQuery(JobsDocument, {
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || '-createdAt',
  });
  const listed = useRef<ReadonlySet<string>>(new Set());
  listed.current = new Set(jobs.data?.account.jobs.items.map(({ id }) => id));
  const { reload } = jobs;
  useEffect(() => {
    let cursor: string | null = null;
    return subscribe(JobUpdatedDocument, () => ({ organizationId: organizationId.value, jobId: null, after: cursor }), {
      next: ({ jobUpdated }) => {
        cursor = jobUpdated.cursor;
        setTold((before) => new Map([...before, ...jobUpdated.jobs.map((job) => [job.id, job] as const)]));
        if (jobUpdated.jobs.some(({ id }) => !listed.current.has(id))) reload();
      },
      state: () => undefined,
      // Who may not follow jobs sees them as they were when the page was opened.
      error: () => undefined,
    });
  }, [reload]);
  return (
    <Page title="Jobs">
      <Loading of={jobs} rows={limit}>
        {({ account: { jobs: page } }) => (
          <>
            {page.items.length === 0 ? (
              <Empty title="No job yet">
                <p>
                  Long work such as decoding stored frames again, or making deliveries again, is shown here with its
                  progress. It is asked for on a <a href="/console/products">product</a> or a{' '}
                  <a href="/console/hooks">hook</a>.
                </p>
              </Empty>
            ) : (
              <Table
                label="Jobs"
                columns={columns}
                rows={page.items.map((job) => told.get(job.id) ?? job)}
                address={address}
                busy={jobs.loading}
              />
            )}
            <Pager address={address} limit={limit} total={page.totalCount} />
          </>
        )}
      </Loading>
    </Page>
  );
}

/** Whether a job still goes on. */
export const isUnderWay = ({ state }: JobLineFragment): boolean => state === 'running' || state === 'pending';
