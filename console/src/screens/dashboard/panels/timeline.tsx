import { useMemo } from 'preact/hooks';
import { ticksBetween } from '../../../components/ticks.js';
import { formatIn, formatTime, lasting, zone } from '../../../format/time.js';
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
    () => [...new Set(lanes.flatMap(({ segments }) => segments.flatMap(statesOf)))].sort(),
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
                const { shares } = segment;
                const [left, width] = [placeOf(segment.from), placeOf(segment.to) - placeOf(segment.from)];
                const place = { left: `${left}%`, width: `${width}%` };
                return (
                  <span
                    key={segment.from}
                    class="segment"
                    title={titleOf(segment)}
                    style={
                      shares.length > 1
                        ? { ...place, background: layersOf(shares, colorOf), borderColor: 'transparent' }
                        : { ...place, '--state': colorOf(shares[0]!.state) }
                    }
                  >
                    {shares.length === 1 && width >= narrowest && shares[0]!.state}
                  </span>
                );
              })}
            </span>
            <span class="visually-hidden">
              {latestOf(segments)}. {totalsOf(segments)}
            </span>
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

const statesOf = ({ shares }: Segment): string[] => shares.map(({ state }) => state);

/** Returns a background with a layer for each state, as high as its share of the time. */
const layersOf = (shares: Segment['shares'], colorOf: (state: string) => string): string => {
  const all = shares.reduce((sum, { seconds }) => sum + seconds, 0);
  let end = 0;
  const layers = shares.map(({ state, seconds }) => {
    const start = end;
    end += (seconds / all) * 100;
    return `color-mix(in srgb, ${colorOf(state)} 60%, var(--surface)) ${start}% ${end}%`;
  });
  return `linear-gradient(to top, ${layers.join(', ')})`;
};

const titleOf = ({ from, to, shares }: Segment): string => {
  const range = `${formatTime(from)} to ${formatTime(to)}`;
  const [only] = shares;
  if (shares.length === 1) return `${only!.state}: ${range} (${lasting(to - from)})`;
  return `${range}: ${shares.map(({ state, seconds }) => `${state} ${lasting(seconds)}`).join(', ')}`;
};

const latestOf = (segments: readonly Segment[]): string => {
  const last = segments.at(-1);
  if (last === undefined) return 'no state';
  const { from, shares } = last;
  return shares.length === 1
    ? `${shares[0]!.state} since ${formatTime(from)}`
    : `${statesOf(last).join(' and ')} in turn since ${formatTime(from)}`;
};

/** Returns how long each state lasted in all. */
const totalsOf = (segments: readonly Segment[]): string => {
  const totals = new Map<string, number>();
  for (const { state, seconds } of segments.flatMap(({ shares }) => shares))
    totals.set(state, (totals.get(state) ?? 0) + seconds);
  return [...totals].map(([state, seconds]) => `${state} ${lasting(seconds)}`).join(', ');
};

const tickOf = (at: number, length: number): string =>
  formatIn(
    zone.value,
    length > 2 * 86_400 ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  ).format(at * 1000);
