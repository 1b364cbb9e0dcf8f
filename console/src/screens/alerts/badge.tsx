import { useOpenEpisodes } from './use-open-episodes.js';

/** The number of open episodes, beside the name of the screen in the navigation; nothing where none is open. */
export function OpenBadge() {
  const count = useOpenEpisodes();
  if (count === undefined || count === 0) return null;
  return (
    <span class="count">
      {count === null || count > 999 ? '999+' : count} <span class="visually-hidden">open</span>
    </span>
  );
}
