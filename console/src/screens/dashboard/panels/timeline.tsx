import { useMemo } from 'preact/hooks';
import { ticksBetween } from '../../../components/ticks.js';
import { formatIn, formatTime, zone } from '../../../format/time.js';
import type { Segment, TimelineResult } from '../data/results.js';

/** Number of states that have a colour of their own. */
const mostColours = 12;
/** Narrowest segment in percent of the range that has its word inside. */
const narrowest = 7;

/** States of devices over time: a lane for each, and a block for each state, with its word. */
export function TimelineBody({
  label,
  result: { lanes },
  from,
  to,
}: {
  label: string;
  result: TimelineResult;
  from: number;
  to: number;
}) {
  const states = useMemo(
    () => [...new Set(lanes.flatMap(({ segments }) => segments.map(({ state }) => state)))].sort(),
    [lanes],
  );
  const placeOf = (at: number) => ((Math.min(to, Math.max(from, at)) - from) / (to - from)) * 100;
  const colorOf = (state: string) => `var(--series-${(states.indexOf(state) % mostColours) + 1})`;
  return (
    <div class="timeline panel-scroll" role="group" aria-label={label} tabIndex={0}>
      <ul class="lanes">
        {lanes.map(({ name, segments }, index) => (
          <li key={index}>
            <span class="cut lane-name" title={name}>
              {name}
            </span>
            <span class="lane">
              {segments.map((segment) => {
                const [left, width] = [placeOf(segment.from), placeOf(segment.to) - placeOf(segment.from)];
                return (
                  <span
                    key={segment.from}
                    class="segment"
                    title={titleOf(segment)}
                    style={{ left: `${left}%`, width: `${width}%`, '--state': colorOf(segment.state) }}
                  >
                    {width >= narrowest && segment.state}
                  </span>
                );
              })}
            </span>
            <span class="visually-hidden">{latestOf(segments)}</span>
          </li>
        ))}
      </ul>
      <div class="lane-ticks quiet" aria-hidden="true">
        {ticksBetween(from, to, 5, zone.value).map((at) => (
          <span key={at} style={{ left: `${placeOf(at)}%` }}>
            {tickOf(at, to - from)}
          </span>
        ))}
      </div>
      <ul class="legend" aria-label="States">
        {states.map((state) => (
          <li key={state}>
            <i class="swatch" style={{ '--state': colorOf(state) }} />
            {state}
          </li>
        ))}
      </ul>
    </div>
  );
}

const titleOf = ({ from, to, state }: Segment): string => `${state}: ${formatTime(from)} to ${formatTime(to)}`;

const latestOf = (segments: readonly Segment[]): string => {
  const last = segments.at(-1);
  return last === undefined ? 'no state' : `${last.state} since ${formatTime(last.from)}`;
};

const tickOf = (at: number, length: number): string =>
  formatIn(
    zone.value,
    length > 2 * 86_400 ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  ).format(at * 1000);
