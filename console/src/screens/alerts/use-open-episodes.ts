import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { OpenEpisodesDocument } from '../../documents.js';
import { useQuery } from '../../use-query.js';

/** How often the number of open episodes is looked up, in milliseconds. */
const every = 10_000;

/** Counts changes that this page made to episodes: each has the number looked up at once. */
const changes = signal(0);

/** Has the number of open episodes looked up, because this page made a change that may have closed some. */
export const episodesChanged = (): void => {
  changes.value += 1;
};

/** The number of open episodes of the applications that the caller can read; null where there are too many to count. */
export function useOpenEpisodes(): number | null | undefined {
  const { data, reload } = useQuery(OpenEpisodesDocument, {}, { every });
  const count = changes.value;
  useEffect(() => {
    if (count > 0) reload();
  }, [count, reload]);
  return data?.account.episodes.totalCount;
}
