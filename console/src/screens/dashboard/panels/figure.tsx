import { Ago } from '../../../components/ago.js';
import { Badge, severityTones } from '../../../components/badge.js';
import { wordsOf } from '../../../components/levels.js';
import { Spark } from '../../../components/tile.js';
import { type Look, said, unitFor, wordFor } from '../../../format/look.js';
import type { FigureResult } from '../data/results.js';
import { aggregates, combinationOf, combinations, type FigurePanel, levelAt } from '../document.js';
import { Note } from './note.js';

/** A single large value, with its course over the range behind it. */
export function FigureBody({ panel, result }: { panel: FigurePanel; result: FigureResult }) {
  const { value, look, at, of, trend } = result;
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
        <Change of={trend} look={look} />
      </p>
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

/** The change of the value over the range. */
const Change = ({ of, look: { unit, decimals } }: { of: readonly number[]; look: Look }) => {
  if (of.length < 2) return null;
  const change = forReading(of.at(-1)! - of[0]!, { decimals });
  const sign = change > 0 ? '▲' : change < 0 ? '▼' : '＝';
  return (
    <span class="figure-change">
      <span aria-hidden="true">{sign}</span>{' '}
      <span class="visually-hidden">{change > 0 ? 'up' : change < 0 ? 'down' : 'unchanged'} </span>
      {change === 0 ? 'unchanged' : said(Math.abs(change), { unit, decimals })}
    </span>
  );
};
