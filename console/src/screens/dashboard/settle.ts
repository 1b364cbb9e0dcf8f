import { columns, type GridPosition, tallest } from './document.js';

/* Arranges panels on the grid: none overlaps another, and each is as high up as the others let it. */

interface Placed extends GridPosition {
  readonly id: string;
}

const overlaps = (a: GridPosition, b: GridPosition): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const inOrder = (a: GridPosition, b: GridPosition): number => a.y - b.y || a.x - b.x;

/** Returns the first row at or below `from` in which a panel overlaps no other. */
const freeRow = (panel: GridPosition, others: readonly GridPosition[], from: number): number => {
  let y = from;
  for (;;) {
    const hit = others.find((other) => overlaps({ ...panel, y }, other));
    if (hit === undefined) return y;
    y = hit.y + hit.h;
  }
};

/** Returns the panels in reading order, those that overlap moved down. */
export const settled = <Panel extends Placed>(panels: readonly Panel[]): Panel[] => {
  const done: Panel[] = [];
  for (const panel of panels.toSorted(inOrder)) done.push({ ...panel, y: freeRow(panel, done, panel.y) });
  return done.sort(inOrder);
};

/** Returns the panels, each moved up as far as possible. `fixed` keeps its row until the others have moved. */
const compact = <Panel extends Placed>(panels: readonly Panel[], fixed?: Panel): Panel[] => {
  const done: Panel[] = fixed === undefined ? [] : [fixed];
  for (const panel of panels.toSorted(inOrder))
    if (panel.id !== fixed?.id) done.push({ ...panel, y: freeRow(panel, done, 0) });
  return done;
};

/** Returns the panels after one has moved to a place or changed its size. */
export const arranged = <Panel extends Placed>(panels: readonly Panel[], id: string, place: GridPosition): Panel[] => {
  const moved = panels.find((panel) => panel.id === id);
  if (moved === undefined) return [...panels];
  const w = Math.min(columns, Math.max(1, place.w));
  const h = Math.min(tallest, Math.max(1, place.h));
  const x = Math.min(columns - w, Math.max(0, place.x));
  const around = compact(panels, { ...moved, x, w, h, y: Math.max(0, place.y) });
  return compact(around).sort(inOrder);
};

/** Direction of an arrow key. */
export type Direction = 'left' | 'right' | 'up' | 'down';

/** Returns the panels after one has moved a step: one column sideways, or past the next panel above or below. */
export const stepped = <Panel extends Placed>(panels: readonly Panel[], id: string, to: Direction): Panel[] => {
  const panel = panels.find((one) => one.id === id);
  if (panel === undefined) return [...panels];
  if (to === 'left' || to === 'right') return arranged(panels, id, { ...panel, x: panel.x + (to === 'left' ? -1 : 1) });
  const bottom = Math.max(...panels.map(({ y, h }) => y + h));
  const by = to === 'up' ? -1 : 1;
  for (let y = panel.y + by; y >= 0 && y <= bottom; y += by) {
    const next = arranged(panels, id, { ...panel, y });
    if (next.find((one) => one.id === id)!.y !== panel.y) return next;
  }
  return [...panels];
};

/** Returns the place of a new panel: the first free one of its size, or below all others. */
export const freePlace = (panels: readonly Placed[], w: number, h: number): GridPosition => {
  const bottom = Math.max(0, ...panels.map((panel) => panel.y + panel.h));
  for (let y = 0; y < bottom; y++)
    for (let x = 0; x + w <= columns; x++)
      if (!panels.some((panel) => overlaps({ x, y, w, h }, panel))) return { x, y, w, h };
  return { x: 0, y: bottom, w, h };
};
