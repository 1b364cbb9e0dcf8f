import { useEffect, useState } from 'preact/hooks';
import { JobDocument, type JobKind, type JobLineFragment, type JobState as State } from '../api/documents.js';
import { organizationId } from '../api/session.js';
import { isUnderWay, useJobUpdates } from '../api/use-job-updates.js';
import { useQuery } from '../api/use-query.js';
import { Badge } from './badge.js';
import { Loading } from './state.js';

/** Kinds of jobs, in words. */
export const jobNames: Readonly<Record<JobKind, string>> = {
  tagDevices: 'Tagging devices',
  untagDevices: 'Untagging devices',
  linkDevices: 'Linking devices',
  unlinkDevices: 'Unlinking devices',
  moveDevices: 'Moving devices',
  deleteDevices: 'Deleting devices',
  sendCommands: 'Sending commands',
  redeliver: 'Redelivery',
  replay: 'Replay',
  redecode: 'Decoding again',
  recompute: 'Computing again',
  checkDevices: 'Check of a file of devices',
  importDevices: 'Import of devices',
  checkRecords: 'Check of a file of history',
  importRecords: 'Import of history',
};

/** States of a job, in words. */
const states: Readonly<Record<State, string>> = {
  pending: 'waits',
  running: 'under way',
  done: 'done',
  failed: 'failed',
};

const tones = { done: 'good', failed: 'bad', running: 'warn', pending: 'quiet' } as const;

/** The state of a job, with a progress bar and counts. */
export const JobState = ({ job }: { job: JobLineFragment }) => (
  <span class="job">
    <Badge tone={tones[job.state]}>{states[job.state]}</Badge>
    {job.state === 'running' && (
      <progress aria-label="Progress" {...(job.total !== null && { value: job.done, max: Math.max(1, job.total) })} />
    )}
    <span class="quiet">
      {job.done.toLocaleString()}
      {job.total !== null && ` of ${job.total.toLocaleString()}`} processed, {job.changed.toLocaleString()} changed
    </span>
    {job.error !== null && <span>{job.error}</span>}
  </span>
);

/**
 * Returns the later of two states of a job. An update that arrives while the job is read may be newer than the result
 * of the read.
 */
export const newerJob = (read: JobLineFragment, told: JobLineFragment | undefined): JobLineFragment =>
  told?.id === read.id && told.updatedAt >= read.updatedAt ? told : read;

/**
 * Shows the progress of a new job by its updates. `note` describes the finished job, and `ended` is called when it
 * ends.
 */
export function JobProgress({
  jobId,
  note,
  ended,
}: {
  jobId: string;
  note?: (job: JobLineFragment) => string;
  ended?: () => void;
}) {
  const [told, setTold] = useState<JobLineFragment | undefined>();
  const isOpen = useJobUpdates(jobId, (jobs) => setTold(jobs.at(-1)));
  const found = useQuery(JobDocument, isOpen ? { organizationId: organizationId.value, jobId } : undefined);
  const job = found.data && newerJob(found.data.job, told);
  const isOver = job !== undefined && !isUnderWay(job);
  useEffect(() => {
    if (isOver) ended?.();
  }, [jobId, isOver]);
  return (
    <div class="progress" role="status" aria-label="Job">
      <Loading of={found} rows={1}>
        {() =>
          job && (
            <>
              <strong>{jobNames[job.kind]}</strong> <JobState job={job} />{' '}
              {job.state === 'done' && note !== undefined && <span>{note(job)}</span>}
            </>
          )
        }
      </Loading>
    </div>
  );
}
