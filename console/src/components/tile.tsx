import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A figure in a tile, with a note and its trend. A tile with an address leads to the list behind the figure. */
export const Tile = ({
  name,
  tone,
  note,
  trend = [],
  href,
  children,
}: {
  name: string;
  tone?: 'good' | 'warn' | 'bad' | undefined;
  note?: ComponentChildren;
  /** Values at equal distances, the newest last. */
  trend?: readonly number[];
  href?: string;
  children: ComponentChildren;
}) => {
  const id = useId();
  const shape = tone === undefined ? 'tile' : `tile ${tone}`;
  const content = (
    <>
      <span class="tile-name" id={id}>
        {name}
      </span>
      <span class="tile-figure">{children}</span>
      {note !== undefined && <span class="tile-note">{note}</span>}
      {trend.length > 1 && trend.some((value) => value !== 0) && (
        <Spark of={trend} low={Math.min(0, ...trend)} shape="spark" />
      )}
    </>
  );
  return href === undefined ? (
    <div class={shape} role="group" aria-labelledby={id}>
      {content}
    </div>
  ) : (
    <a class={shape} href={href}>
      {content}
    </a>
  );
};

/** A small line without axes. The figures say the same in words, so that screen readers leave it out. */
export const Spark = ({
  of,
  low,
  shape,
}: {
  /** At least two values at equal distances. */
  of: readonly number[];
  /** The value at the bottom. */
  low: number;
  shape: 'spark' | 'figure-trend';
}) => {
  const span = Math.max(...of) - low || 1;
  const points = of.map(
    (value, index) =>
      `${((index / (of.length - 1)) * 100).toFixed(2)} ${(36 - ((value - low) / span) * 32).toFixed(2)}`,
  );
  return (
    <svg class={shape} viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`M0 40L${points.join('L')}L100 40Z`} />
      <path d={`M${points.join('L')}`} />
    </svg>
  );
};
