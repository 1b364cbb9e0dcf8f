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
      {trend.length > 1 && trend.some((value) => value !== 0) && <Spark of={trend} />}
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

/** A small line without axes. The figures are in the tile, so that screen readers leave it out. */
const Spark = ({ of }: { of: readonly number[] }) => {
  const low = Math.min(0, ...of);
  const span = Math.max(...of) - low || 1;
  const points = of.map((value, index) => `${(index / (of.length - 1)) * 100} ${30 - ((value - low) / span) * 30}`);
  return (
    <svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`M0 30L${points.join('L')}L100 30Z`} />
      <path d={`M${points.join('L')}`} />
    </svg>
  );
};
