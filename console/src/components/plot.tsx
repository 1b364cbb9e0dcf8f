import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { pointed } from '../browser/cursor.js';
import { theme } from '../browser/theme.js';
import { zone } from '../format/time.js';
import { drawnColumns, isBoolean, readingsAt, tickUnit } from './plot-data.js';
import { keyHandler } from './plot-keys.js';
import { optionsOf, type PlotProps, type Pointed } from './plot-options.js';
import { ReadingBox } from './reading.js';

/** Draws lines over time. For screen readers, the numbers are in the table of the chart. */
export function Plot(props: PlotProps) {
  const { lines, shape, from, to, bands, levels, limits, height, isShown } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [cursor, setCursor] = useState<Pointed | undefined>();
  const [isPinned, setPinned] = useState(false);
  const pinned = useRef(false);
  pinned.current = isPinned;
  const columns = useMemo(() => drawnColumns(lines, shape), [lines, shape]);
  const key = JSON.stringify([shape, lines.map(({ name, type, unit }) => [name, type, unit])]);
  const zoneName = zone.value;
  const isDark = useIsDark();

  useEffect(() => {
    const element = frame.current!;
    const self = {};
    let isFollowing = false;
    let isKeyboard = false;
    const point = (instance: uPlot) => {
      const { left = -1, top = -1 } = instance.cursor;
      if (isFollowing || pinned.current) return;
      const at = left < 0 ? undefined : instance.posToVal(left, 'x');
      pointed.value = at === undefined ? undefined : { at, chart: self };
      setCursor(at === undefined ? undefined : readAt(instance, latest.current, at, left, top, isKeyboard));
    };
    const made = new uPlot(optionsOf(element, latest, zoneName, point), columns, element);
    plot.current = made;
    const pin = () => setPinned((now) => !now);
    made.over.addEventListener('click', pin);
    const unfollow = pointed.subscribe((other) => {
      if (other?.chart === self) return;
      isFollowing = true;
      made.setCursor({ left: other === undefined ? -10 : made.valToPos(other.at, 'x'), top: 0 }, true);
      isFollowing = false;
      if (other !== undefined && !pinned.current) setCursor(undefined);
    });
    const press = keyHandler(made, latest, pin, () => {
      setPinned(false);
      setCursor(undefined);
    });
    props.keys.current = (event) => {
      isKeyboard = true;
      press(event);
      // uPlot reports a moved cursor in the next microtask.
      queueMicrotask(() => (isKeyboard = false));
    };
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: height ?? element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      unfollow();
      if (pointed.value?.chart === self) pointed.value = undefined;
      made.destroy();
    };
  }, [key, zoneName, height, theme.value, isDark]);
  useEffect(() => plot.current?.setData(columns), [columns]);
  useEffect(() => {
    plot.current?.setScale('x', { min: from, max: to });
    setPinned(false);
  }, [from, to]);
  useEffect(() => plot.current?.redraw(false), [bands, levels]);
  useEffect(() => plot.current?.setData(columns), [limits.min, limits.max]);
  useEffect(() => {
    lines.forEach((_, index) => plot.current?.setSeries(index + 1, { show: isShown(index) }));
  }, [key, isShown]);
  return (
    <div class="plot" ref={frame} style={height === undefined ? undefined : { minHeight: `${height}px` }}>
      {tickUnit(lines) === '' && lines[0]?.unit && !lines.every(isBoolean) && (
        <span class="axis-unit">{lines[0].unit}</span>
      )}
      {cursor !== undefined && (
        <ReadingBox
          of={cursor}
          lines={lines}
          bands={bands}
          isPinned={isPinned}
          width={frame.current?.clientWidth ?? 0}
          close={() => setPinned(false)}
        />
      )}
    </div>
  );
}

const readAt = (
  plot: uPlot,
  { lines, shape, isShown }: PlotProps,
  at: number,
  left: number,
  top: number,
  isKeyboard: boolean,
): Pointed => {
  const slack = plot.posToVal(8, 'x') - plot.posToVal(0, 'x');
  const readings = readingsAt(lines, at, slack, shape).filter(({ index }) => isShown(index));
  const nearest = readings.toSorted((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
  const offset = plot.bbox.left / devicePixelRatio;
  return { at: nearest?.at ?? Math.round(at), left: left + offset, top, readings, isKeyboard };
};

/** Whether the system prefers dark colours. A change of the preference redraws the canvas. */
const useIsDark = (): boolean => {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const onChange = () => setDark(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isDark;
};
