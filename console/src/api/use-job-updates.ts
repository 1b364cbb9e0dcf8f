import { useEffect, useRef, useState } from 'preact/hooks';
import { type JobLineFragment, JobUpdatedDocument } from './documents.js';
import { subscribe } from './graph.js';
import { organizationId } from './session.js';

/** Whether a job is still in progress. */
export const isUnderWay = ({ state }: JobLineFragment): boolean => state === 'running' || state === 'pending';

/**
 * Follows a job until it ends or, without `jobId`, all jobs of the organization. Returns true once every further step
 * will be reported, or the service refused the subscription: data read from then on are up to date.
 */
export function useJobUpdates(jobId: string | null, told: (jobs: readonly JobLineFragment[]) => void): boolean {
  const [followed, setFollowed] = useState<string | null | undefined>();
  const latest = useRef(told);
  latest.current = told;
  useEffect(() => {
    let cursor: string | null = null;
    const stop = subscribe(JobUpdatedDocument, () => ({ organizationId: organizationId.value, jobId, after: cursor }), {
      next: ({ jobUpdated }) => {
        // The first event is empty. It arrives as soon as the service watches the job.
        cursor = jobUpdated.cursor;
        setFollowed(jobId);
        if (jobUpdated.jobs.length > 0) latest.current(jobUpdated.jobs);
        if (jobUpdated.jobs.some((job) => job.id === jobId && !isUnderWay(job))) stop();
      },
      state: () => undefined,
      error: () => setFollowed(jobId),
    });
    return stop;
  }, [jobId]);
  return followed === jobId;
}
