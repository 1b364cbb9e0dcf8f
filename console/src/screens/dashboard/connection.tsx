import { Badge } from '../../components/badge.js';
import { formatIn, zone } from '../../format/time.js';
import type { Board } from './data/use-results.js';

/** Says whether the panels follow arriving records, and otherwise since when they do not. */
export const Connection = ({ of: { shown, error, follows, isLive, refresh } }: { of: Board }) => (
  <p class="connection" role="status">
    {error !== undefined ? (
      <>
        <Badge tone="bad">
          {shown === undefined ? 'Not shown' : `As of ${clock(shown.to)}`}: {error.message}
        </Badge>{' '}
        <button type="button" onClick={refresh}>
          Try again
        </button>
      </>
    ) : !follows ? (
      <Badge tone="quiet">Fixed range</Badge>
    ) : isLive ? (
      <Badge tone="good">Live</Badge>
    ) : (
      <Badge tone="quiet">Connecting…</Badge>
    )}
  </p>
);

const clock = (seconds: number): string =>
  formatIn(zone.value, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(seconds * 1000);
