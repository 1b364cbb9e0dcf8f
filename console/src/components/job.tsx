import { useEffect, useState } from 'preact/hooks';
import { JobDocument, type JobLineFragment } from '../documents.js';
import { organizationId } from '../session.js';
import { useQuery } from '../use-query.js';
import { Badge } from './badge.js';
import { Loading } from './state.js';

const names: Readonly<Record<string, string>> = {
  tagDevices: 'Tagging devices',
  untagDevices: 'Untagging devices',
  linkDevices: 'Linking devices',
  unlinkDevices: 'Unlinking devices',
  deleteDevices: 'Deleting devices',
  redeliver: 'Redelivery',
  replay: 'Replay',
  redecode: 'Decoding again',
};

/** What a job does, in words. */
export const jobName = (kind: string): string => names[kind] ?? kind;

const tones = { done: 'good', failed: 'bad', running: 'warn', pending: 'quiet' } as const;

/** Where a job stands: its state, a bar and figures. */
export const JobState = ({ job }: { job: JobLineFragment }) => (
  <span class="job">
    <Badge tone={tones[job.state]}>{job.state}</Badge>
    {job.state === 'running' && (
      <progress aria-label="Progress" {...(job.total !== null && { value: job.done, max: Math.max(1, job.total) })} />
    )}
    <span class="quiet">
      {job.done.toLocaleString()}
      {job.total !== null && ` of ${job.total.toLocaleString()}`} looked at, {job.changed.toLocaleString()} changed
    </span>
    {job.error !== null && <span>{job.error}</span>}
  </span>
);

/** The progress of a job that was just asked for, looked up each second until it ends. `note` says what its end means. */
export function JobProgress({ jobId, note }: { jobId: string; note?: (job: JobLineFragment) => string }) {
  const [isEnded, setEnded] = useState(false);
  const found = useQuery(
    JobDocument,
    { organizationId: organizationId.value, jobId },
    { every: isEnded ? undefined : 1000 },
  );
  const state = found.data?.job.state;
  useEffect(() => setEnded(state === 'done' || state === 'failed'), [state]);
  return (
    <div class="progress" role="status" aria-label="Job">
      <Loading of={found} rows={1}>
        {({ job }) => (
          <>
            <strong>{jobName(job.kind)}</strong> <JobState job={job} />{' '}
            {job.state === 'done' && note !== undefined && <span>{note(job)}</span>}
          </>
        )}
      </Loading>
    </div>
  );
}
