import { type Series, SeriesFunction } from '#entities/series.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { SeriesBelowArgs } from './series.args.js';

/** Reads the lines of a chart of these devices, by device and variable in the order of the arguments. */
export function readLines(
  index: Pick<RecordIndex, 'series'>,
  { position, signal }: Context,
  organizationId: string,
  deviceIds: readonly string[],
  { variables, from, to, points, interval, function: drawing }: SeriesBelowArgs,
): Promise<Series[]> {
  return index.series({
    organizationId,
    deviceIds,
    variables: [...new Set(variables)],
    points,
    function: drawing ?? SeriesFunction.avg,
    position,
    signal,
    from: from ?? null,
    to: to ?? null,
    interval: interval ?? null,
  });
}

/** Rounds the values of lines to a number of significant digits. Digits before the point are kept. */
export const roundLines = (lines: readonly Series[], digits: number): Series[] => {
  const round = (value: number) =>
    Math.abs(value) >= 10 ** (digits - 1) ? Math.round(value) : Number(value.toPrecision(digits));
  return lines.map((line) => ({ ...line, values: line.values.map(round) }));
};
