import { ago, formatTime } from '../format/time.js';

/** How long ago an instant was, in Unix seconds. The time itself is shown on hover. */
export const Ago = ({ at, now }: { at: number; now?: number }) => (
  <time dateTime={new Date(at * 1000).toISOString()} title={formatTime(at)}>
    {ago(at, now)}
  </time>
);
