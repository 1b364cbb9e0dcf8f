import type uPlot from 'uplot';
import type { AlertSeverity } from '../api/documents.js';
import { numberText } from '../format/value.js';
import { bandStyles } from './bands.js';

/** A range of values that is marked in a chart, such as temperatures that are too high. */
export interface Level {
  readonly from?: number;
  readonly to?: number;
  readonly severity: AlertSeverity;
}

/** Draws levels behind the lines: a light fill, and a dashed line at each end that shows. */
export const drawLevels = (plot: uPlot, levels: readonly Level[], colorOf: (name: string) => string): void => {
  const { ctx, bbox } = plot;
  const bottom = bbox.top + bbox.height;
  const placeOf = (value: number | undefined, open: number) =>
    value === undefined ? open : Math.min(bottom, Math.max(bbox.top, plot.valToPos(value, 'y', true)));
  for (const { from, to, severity } of levels) {
    const [low, high] = [placeOf(from, bottom), placeOf(to, bbox.top)];
    ctx.save();
    ctx.fillStyle = ctx.strokeStyle = colorOf(bandStyles[severity].color);
    ctx.globalAlpha = 0.1;
    ctx.fillRect(bbox.left, high, bbox.width, low - high);
    ctx.globalAlpha = 0.8;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    for (const y of [low, high]) {
      if (y <= bbox.top || y >= bottom) continue;
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
    }
    ctx.stroke();
    ctx.restore();
  }
};

/** Says in words which values a level marks. */
export const wordsOf = ({ from, to, severity }: Level): string => {
  const [low, high] = [from, to].map((end) => end !== undefined && numberText(end));
  const range = !low ? `below ${high}` : !high ? `from ${low}` : `${low} to ${high}`;
  return `${severity} ${range}`;
};

/** Entries of the legend for levels. */
export const LevelLegend = ({ levels }: { levels: readonly Level[] }) => (
  <>
    {levels.map((level, index) => (
      <li key={index}>
        <svg width="18" height="8" aria-hidden="true" style={{ color: `var(${bandStyles[level.severity].color})` }}>
          <rect width="18" height="8" fill="currentColor" opacity="0.15" />
          <line x1="0" x2="18" y1="4" y2="4" stroke="currentColor" stroke-dasharray="3 3" />
        </svg>
        {wordsOf(level)}
      </li>
    ))}
  </>
);
