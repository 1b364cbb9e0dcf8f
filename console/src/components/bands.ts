import type uPlot from 'uplot';
import type { AlertSeverity } from '../api/documents.js';

/** A period in which an episode was open, drawn behind the lines of a chart. Times are Unix seconds. */
export interface Band {
  readonly from: number;
  /** Null while the episode is open. */
  readonly to: number | null;
  readonly severity: AlertSeverity;
  /** Name of the alert rule. */
  readonly name: string;
}

/** Colour and hatch spacing of each severity, as colour must not be the only cue. The most severe is drawn last. */
export const bandStyles = {
  info: { color: '--quiet', hatch: 0 },
  warning: { color: '--warn', hatch: 12 },
  critical: { color: '--bad', hatch: 6 },
} as const satisfies Record<AlertSeverity, { color: string; hatch: number }>;

const order = Object.keys(bandStyles) as AlertSeverity[];

/** Returns the severities of bands, the most severe first. */
export const severitiesOf = (bands: readonly Band[]): AlertSeverity[] =>
  order.filter((severity) => bands.some((band) => band.severity === severity)).toReversed();

/** Returns the bands that a range shows. */
export const bandsWithin = (bands: readonly Band[], from: number, to: number): Band[] =>
  bands.filter((band) => band.from <= to && (band.to ?? Number.POSITIVE_INFINITY) >= from);

/** Returns the most severe band at an instant; undefined when there is none. */
export const bandAt = (bands: readonly Band[], at: number): Band | undefined =>
  bands
    .filter((band) => band.from <= at && at <= (band.to ?? Number.POSITIVE_INFINITY))
    .sort((a, b) => order.indexOf(b.severity) - order.indexOf(a.severity))[0];

/** Draws bands behind the lines: a light fill, a hatch by severity, and edges that stand out. */
export const drawBands = (plot: uPlot, bands: readonly Band[], colorOf: (name: string) => string): void => {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  for (const severity of order)
    for (const band of bands.filter((one) => one.severity === severity)) {
      const left = Math.max(bbox.left, plot.valToPos(band.from, 'x', true));
      const right = Math.min(
        bbox.left + bbox.width,
        band.to === null ? bbox.left + bbox.width : plot.valToPos(band.to, 'x', true),
      );
      // A very short band is two pixels wide, so that it stays visible.
      const width = Math.max(2 * ratio, right - left);
      if (left > bbox.left + bbox.width || left + width < bbox.left) continue;
      const { color, hatch } = bandStyles[severity];
      ctx.save();
      ctx.fillStyle = ctx.strokeStyle = colorOf(color);
      ctx.beginPath();
      ctx.rect(left, bbox.top, width, bbox.height);
      ctx.clip();
      ctx.globalAlpha = 0.1;
      ctx.fillRect(left, bbox.top, width, bbox.height);
      ctx.globalAlpha = 0.35;
      ctx.lineWidth = ratio;
      ctx.beginPath();
      for (let x = left - bbox.height; hatch > 0 && x < left + width; x += hatch * ratio) {
        ctx.moveTo(x, bbox.top + bbox.height);
        ctx.lineTo(x + bbox.height, bbox.top);
      }
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.fillRect(left, bbox.top, width, 3 * ratio);
      ctx.restore();
    }
};
