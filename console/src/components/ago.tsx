import { ago, formatTime } from '../format/time.js';

/** Shows the age of an instant, given in Unix seconds. Hovering shows the time itself. */
export const Ago = ({ at, now }: { at: number; now?: number }) => (
  <time dateTime={new Date(at * 1000).toISOString()} title={formatTime(at)}>
    {ago(at, now)}
  </time>
);
