import type uPlot from 'uplot';
import type { Current, PlotProps } from './plot-options.js';

/**
 * Returns the handler of the keys of a chart: arrows move the cursor (with Shift they select), Home and End go to the
 * ends, Enter zooms into the selection or keeps the reading, Backspace goes back, Escape ends it.
 */
export const keyHandler = (
  plot: uPlot,
  latest: Current<PlotProps>,
  pin: () => void,
  clear: () => void,
): ((event: KeyboardEvent) => void) => {
  let at: number | undefined;
  let anchor: number | undefined;
  const visible = (): number[] =>
    Array.from(plot.data[0]).filter((one) => one >= latest.current.from && one <= latest.current.to);
  const move = (to: number, isSelecting: boolean) => {
    anchor = isSelecting ? (anchor ?? at ?? to) : undefined;
    at = to;
    plot.setCursor({ left: plot.valToPos(to, 'x'), top: 24 });
    const [start, end] = [anchor ?? to, to].map((one) => plot.valToPos(one, 'x')).sort((a, b) => a - b);
    const height = plot.bbox.height / devicePixelRatio;
    plot.setSelect({ left: start!, width: end! - start!, top: 0, height }, false);
  };
  const step = (count: number, isSelecting: boolean) => {
    const instants = visible();
    if (instants.length === 0) return;
    const place = at === undefined ? (count > 0 ? -1 : instants.length) : instants.findIndex((one) => one >= at!);
    const next = Math.min(
      instants.length - 1,
      Math.max(0, (place === -1 && at !== undefined ? instants.length : place) + count),
    );
    move(instants[next]!, isSelecting);
  };
  const zoomIn = () => {
    const [start, end] = [anchor!, at!].sort((a, b) => a - b);
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    anchor = undefined;
    if (end! > start!) latest.current.zoom?.(Math.floor(start!), Math.ceil(end!));
  };
  return (event) => {
    const { key, shiftKey, ctrlKey } = event;
    if (key === 'ArrowLeft' || key === 'ArrowRight')
      step((key === 'ArrowLeft' ? -1 : 1) * (ctrlKey ? 10 : 1), shiftKey);
    else if (key === 'Home' || key === 'End')
      step(key === 'Home' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY, shiftKey);
    else if (key === 'Enter' && anchor !== undefined && latest.current.zoom) zoomIn();
    else if (key === 'Enter' && at !== undefined) pin();
    else if (key === 'Backspace' && latest.current.back) latest.current.back();
    else if (key === 'Escape') {
      at = anchor = undefined;
      plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      plot.setCursor({ left: -10, top: -10 });
      clear();
    } else return;
    event.preventDefault();
  };
};
