import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Shown } from './data/use-results.js';
import type { GridPosition, Panel } from './document.js';
import { PanelBody } from './panels/body.js';
import { settled } from './settle.js';

/** Returns the lines of the grid that a panel stands between. */
export const placeStyle = ({ x, y, w, h }: GridPosition) => ({
  gridColumn: `${x + 1} / span ${w}`,
  gridRow: `${y + 1} / span ${h}`,
  '--rows': h,
});

/** The panels of a dashboard on a grid of 12 columns. On a narrow screen they stand one under another. */
export function Grid({
  panels,
  shown,
  isWall = false,
}: {
  panels: readonly Panel[];
  shown: Shown | undefined;
  isWall?: boolean;
}) {
  const placed = useMemo(() => settled(panels), [panels]);
  return (
    <div class={isWall ? 'grid wall' : 'grid'} style={{ '--all-rows': rowsOf(placed) }}>
      {placed.map((panel) => (
        <PanelFrame key={panel.id} panel={panel}>
          <PanelBody panel={panel} shown={shown} />
        </PanelFrame>
      ))}
    </div>
  );
}

export const rowsOf = (panels: readonly GridPosition[]): number => Math.max(1, ...panels.map(({ y, h }) => y + h));

/** The frame of a panel with its title. */
export const PanelFrame = ({ panel, children }: { panel: Panel; children: ComponentChildren }) => (
  <article class={`panel is-${panel.kind}`} aria-label={panel.title || words[panel.kind]} style={placeStyle(panel)}>
    {panel.title !== '' && (
      <h2 class="panel-title cut" title={panel.title}>
        {panel.title}
      </h2>
    )}
    <div class="panel-body">{children}</div>
  </article>
);

/** Names of the kinds of panels. */
export const words: Readonly<Record<Panel['kind'], string>> = {
  series: 'Chart',
  figure: 'Figure',
  table: 'Newest values',
  map: 'Map',
  timeline: 'States',
  top: 'Top list',
  query: 'Query',
  text: 'Text',
};
