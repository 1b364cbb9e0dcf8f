import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { OpenEpisodesDocument } from '../../api/documents.js';
import { useQuery } from '../../api/use-query.js';

/** Time between two reloads of the number of open episodes, in milliseconds. */
const every = 10_000;

/** Counts changes that this page made to episodes. Each change reloads the number at once. */
const changes = signal(0);

/** Reloads the number of open episodes after a change that may have closed some. */
export const episodesChanged = (): void => {
  changes.value += 1;
};

/**
 * Returns the number of open episodes in the applications that the caller can read; null when there are too many to
 * count.
 */
export function useOpenEpisodes(): number | null | undefined {
  const { data, reload } = useQuery(OpenEpisodesDocument, {}, { every });
  const count = changes.value;
  useEffect(() => {
    if (count > 0) reload();
  }, [count, reload]);
  return data?.account.episodes.totalCount;
}
