import { Ago } from '../../../components/ago.js';
import { Badge, severityTones } from '../../../components/badge.js';
import { wordsOf } from '../../../components/levels.js';
import { Spark } from '../../../components/tile.js';
import { rangeText } from '../../../format/compare.js';
import { type Look, said, unitFor, wordFor } from '../../../format/look.js';
import type { Ends } from '../../../format/range.js';
import { wallClock } from '../../../format/wall-clock.js';
import type { FigureResult } from '../data/results.js';
import { aggregates, combinationOf, combinations, type FigurePanel, levelAt } from '../document.js';
import { Note } from './note.js';

/** A single large value, with its course over the range behind it. */
export function FigureBody({ panel, result }: { panel: FigurePanel; result: FigureResult }) {
  const { value, look, at, of, trend, earlier } = result;
  const combination = combinationOf(panel);
  if (value === undefined) return <Note title="No value in this range">Choose a longer range, or other devices.</Note>;
  const level = typeof value === 'number' ? levelAt(panel.bands, value) : undefined;
  const word = wordFor(value, look);
  const unit = unitFor(value, look);
  return (
    <div class={level === undefined ? 'figure-panel' : `figure-panel ${severityTones[level.severity]}`}>
      <p class="figure-value">
        {word ?? said(forReading(value, look), { ...look, unit: null })}
        {word === undefined && unit && <span class="figure-unit"> {unit}</span>}
      </p>
      <p class="figure-note">
        {level !== undefined && (
          <>
            <Badge tone={severityTones[level.severity]}>{wordsOf(level)}</Badge>{' '}
          </>
        )}
        {panel.aggregate === 'last' && combination === undefined ? (
          <>
            {of !== undefined && <span class="cut">{of} </span>}
            {at !== undefined && <Ago at={at} />}
          </>
        ) : (
          aggregates[panel.aggregate]
        )}
        {combination !== undefined && (
          <>
            , {combinations[combination].toLowerCase()} {of !== undefined && `of ${of}`}
          </>
        )}
        {earlier === undefined && <Change of={trend} look={look} />}
      </p>
      {earlier !== undefined && typeof value === 'number' && <Against value={value} earlier={earlier} look={look} />}
      {trend.length > 1 && <Spark of={trend} low={Math.min(...trend)} shape="figure-trend" />}
    </div>
  );
}

/** Returns a value as a figure shows it: with its decimals, or as {@link rounded}. */
const forReading = <Value,>(value: Value, { decimals }: Look): Value | number =>
  typeof value !== 'number' ? value : decimals == null ? rounded(value) : Number(value.toFixed(decimals));

/** Rounds a value so that it can be read from afar: the larger the value, the fewer decimals. */
const rounded = (value: number): number => {
  const size = Math.abs(value);
  if (size > 0 && size < 0.1) return Number(value.toPrecision(2));
  return Number(value.toFixed(size >= 1000 ? 0 : size >= 10 ? 1 : 2));
};

/** The value of an earlier range, and by how much the value differs from it. */
const Against = ({
  value,
  earlier,
  look,
}: {
  value: number;
  earlier: NonNullable<FigureResult['earlier']>;
  look: Look;
}) => {
  const when = rangeText(earlier.ends);
  if (earlier.value === undefined) return <p class="figure-against">No value in {when}</p>;
  const change = value - earlier.value;
  const share = earlier.value > 0 ? change / earlier.value : undefined;
  // By what clocks show, so that a day of 25 hours is one.
  const daysOf = ({ from, to }: Ends) => Math.round((wallClock(to) - wallClock(from)) / 86_400);
  const [days, ownDays] = [daysOf(earlier.ends), daysOf(earlier.now)];
  return (
    <p class="figure-against">
      <Sign of={change} />
      {share !== undefined && change !== 0 && percent.format(Math.abs(share))} from{' '}
      {said(forReading(earlier.value, look), look)}, {when}
      {days !== ownDays && `, ${days} days instead of ${ownDays}`}
    </p>
  );
};

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** The direction of a change, for the eye and for screen readers. */
const Sign = ({ of }: { of: number }) => (
  <>
    <span aria-hidden="true">{of > 0 ? '▲' : of < 0 ? '▼' : '＝'}</span>{' '}
    <span class="visually-hidden">{of > 0 ? 'up' : of < 0 ? 'down' : 'unchanged'} </span>
  </>
);

/** The change of the value over the range. */
const Change = ({ of, look: { unit, decimals } }: { of: readonly number[]; look: Look }) => {
  if (of.length < 2) return null;
  const change = forReading(of.at(-1)! - of[0]!, { decimals });
  return (
    <span class="figure-change">
      <Sign of={change} />
      {change === 0 ? 'unchanged' : said(Math.abs(change), { unit, decimals })}
    </span>
  );
};
