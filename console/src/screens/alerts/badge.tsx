import { useOpenEpisodes } from './use-open-episodes.js';

/** Shows the number of open episodes in the navigation; nothing when none is open. */
export function OpenBadge() {
  const count = useOpenEpisodes();
  if (count === undefined || count === 0) return null;
  return (
    <span class="count">
      {count === null || count > 999 ? '999+' : count} <span class="visually-hidden">open</span>
    </span>
  );
}
