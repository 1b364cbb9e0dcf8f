import { useRef, useState } from 'preact/hooks';
import { type JobLineFragment, JobsDocument } from '../../api/documents.js';
import { useJobUpdates } from '../../api/use-job-updates.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Ago } from '../../components/ago.js';
import { JobState, jobNames, newerJob } from '../../components/job.js';
import { useListView } from '../../components/list-view.js';
import { Page } from '../../components/page.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';

const limit = 25;

const columns: readonly Column<JobLineFragment>[] = [
  { title: 'Job', sort: 'kind', cell: ({ kind }) => jobNames[kind] },
  { title: 'State', sort: 'state', cell: (job) => <JobState job={job} /> },
  { title: 'Requested', sort: 'createdAt', cell: ({ createdAt }) => formatTime(secondsOf(createdAt)) },
  { title: 'Last progress', cell: ({ updatedAt }) => <Ago at={secondsOf(updatedAt)} /> },
];

/** The list of jobs, the newest first. Their progress arrives by subscription. */
export function JobsScreen() {
  const address = useAddress();
  const kind = address.get('kind');
  const [told, setTold] = useState<ReadonlyMap<string, JobLineFragment>>(new Map());
  const listed = useRef<ReadonlySet<string>>(new Set());
  const isOpen = useJobUpdates(null, (updated) => {
    setTold((before) => new Map([...before, ...updated.map((job) => [job.id, job] as const)]));
    if (updated.some(({ id }) => !listed.current.has(id))) jobs.reload();
  });
  const jobs = useQuery(
    JobsDocument,
    isOpen
      ? {
          limit,
          page: Number(address.get('page')) || 1,
          sort: address.get('sort') || '-createdAt',
          q: kind === '' ? null : `^${kind}$`,
        }
      : undefined,
  );
  const view = useListView('jobs', columns);
  listed.current = new Set(jobs.data?.account.jobs.items.map(({ id }) => id));
  return (
    <Page title="Jobs">
      <div class="filters">
        <SelectFilter
          address={address}
          name="kind"
          label="Kind"
          every="Every kind"
          of={Object.entries(jobNames).map(([id, name]) => ({ id, name }))}
        />
        {view.menus}
      </div>
      <Loading of={jobs} rows={limit}>
        {({ account: { jobs: page } }) => (
          <>
            {page.items.length === 0 ? (
              <Empty title={kind === '' ? 'No job yet' : 'No job of this kind'}>
                <p>
                  Long work such as decoding stored frames again, or making deliveries again, is shown here with its
                  progress. Start it on the screen of a <a href="/console/products">product</a> or a{' '}
                  <a href="/console/hooks">hook</a>.
                </p>
              </Empty>
            ) : (
              <Table
                label="Jobs"
                columns={view.columns}
                rows={page.items.map((job) => newerJob(job, told.get(job.id)))}
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
