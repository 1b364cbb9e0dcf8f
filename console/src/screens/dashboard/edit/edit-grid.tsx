import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../components/icon.js';
import type { Shown } from '../data/use-results.js';
import { columns, type GridPosition, type Panel } from '../document.js';
import { placeStyle, rowsOf, words } from '../grid.js';
import { PanelBody } from '../panels/body.js';
import { arranged, settled, stepped } from '../settle.js';

interface Props {
  readonly panels: readonly Panel[];
  readonly shown: Shown | undefined;
  readonly arrange: (panels: readonly Panel[], id: string) => void;
  readonly edit: (panel: Panel) => void;
  readonly copy: (panel: Panel) => void;
  readonly remove: (panel: Panel) => void;
}

export const titleOf = ({ title, kind }: Panel): string => title || words[kind];

/** The panels with the means to move them: dragging at titles and corners, and the arrow keys. */
export function EditGrid({ panels, shown, arrange, ...actions }: Props) {
  const stored = useMemo(() => settled(panels), [panels]);
  const [moving, setMoving] = useState<{ readonly id: string; readonly panels: readonly Panel[] } | undefined>();
  const grid = useRef<HTMLDivElement>(null);
  const focused = useRef<string | undefined>(undefined);
  const drawn = moving?.panels ?? stored;
  // Panels are rendered in reading order, which may remove a moved panel from the document for a moment. It then loses
  // the focus.
  useLayoutEffect(() => {
    if (focused.current !== undefined) document.getElementById(`arrange-${focused.current}`)?.focus();
    focused.current = undefined;
  }, [panels]);

  const drag = (event: PointerEvent, panel: Panel, isResize: boolean) => {
    if (event.button !== 0 || (event.target as Element).closest('button:not(.arrange)') !== null) return;
    event.preventDefault();
    const target = event.currentTarget as HTMLElement;
    const step = stepOf(grid.current!);
    let latest: readonly Panel[] | undefined;
    const onMove = (now: PointerEvent) => {
      const [across, down] = [now.pageX - event.pageX, now.pageY - event.pageY];
      const [x, y] = [Math.round(across / step.x), Math.round(down / step.y)];
      const place: GridPosition = isResize
        ? { ...panel, w: Math.min(columns - panel.x, panel.w + x), h: panel.h + y }
        : { ...panel, x: panel.x + x, y: panel.y + y };
      latest = arranged(stored, panel.id, place);
      setMoving({ id: panel.id, panels: latest });
      if (now.clientY > innerHeight - 40) scrollBy({ top: 16 });
      else if (now.clientY < 40) scrollBy({ top: -16 });
    };
    const end = () => {
      target.removeEventListener('pointermove', onMove);
      target.removeEventListener('pointerup', onUp);
      target.removeEventListener('pointercancel', end);
      removeEventListener('keydown', onKey);
      setMoving(undefined);
    };
    const onUp = () => {
      end();
      if (latest !== undefined) arrange(latest, panel.id);
    };
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && end();
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', onMove);
    target.addEventListener('pointerup', onUp);
    target.addEventListener('pointercancel', end);
    addEventListener('keydown', onKey);
  };

  const press = (event: KeyboardEvent, panel: Panel) => {
    const direction = directions[event.key];
    if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    focused.current = panel.id;
    const [w, h] = sizes[direction];
    const next = event.shiftKey
      ? arranged(stored, panel.id, {
          ...panel,
          w: Math.min(columns - panel.x, panel.w + w),
          h: panel.h + h,
        })
      : stepped(stored, panel.id, direction);
    arrange(next, panel.id);
  };

  return (
    <div class="grid editing" ref={grid} style={{ '--all-rows': rowsOf(drawn) }}>
      {drawn.map((panel) => (
        <article
          key={panel.id}
          class={`panel is-${panel.kind}${moving?.id === panel.id ? ' moving' : ''}`}
          aria-label={titleOf(panel)}
          style={placeStyle(panel)}
        >
          <Head panel={panel} {...actions} press={press} drag={drag} />
          <div class="panel-body">
            <PanelBody panel={panel} shown={shown} />
          </div>
          <span class="corner" aria-hidden="true" onPointerDown={(event) => drag(event, panel, true)} />
        </article>
      ))}
    </div>
  );
}

const directions: Readonly<Record<string, 'left' | 'right' | 'up' | 'down'>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Columns and rows that a key adds to the size. */
const sizes = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] } as const;

/** Returns the distance between columns and between rows, in pixels. */
const stepOf = (grid: HTMLElement) => {
  const style = getComputedStyle(grid);
  const gap = Number.parseFloat(style.columnGap);
  return { x: (grid.clientWidth + gap) / columns, y: Number.parseFloat(style.gridAutoRows) + gap };
};

const Head = ({
  panel,
  press,
  drag,
  edit,
  copy,
  remove,
}: Pick<Props, 'edit' | 'copy' | 'remove'> & {
  panel: Panel;
  press: (event: KeyboardEvent, panel: Panel) => void;
  drag: (event: PointerEvent, panel: Panel, isResize: boolean) => void;
}) => {
  const title = titleOf(panel);
  return (
    <header class="panel-head" onPointerDown={(event) => drag(event, panel, false)}>
      <button
        type="button"
        class="arrange plain"
        id={`arrange-${panel.id}`}
        aria-label={`Arrange ${title}`}
        aria-describedby="arrange-keys"
        title="Drag, or press the arrow keys; with Shift they change the size"
        onKeyDown={(event) => press(event, panel)}
      >
        <Icon name="grip" />
      </button>
      <h2 class="panel-title cut" title={title}>
        {title}
      </h2>
      <button type="button" class="plain" aria-label={`Edit ${title}`} title="Edit" onClick={() => edit(panel)}>
        <Icon name="pencil" />
      </button>
      <button
        type="button"
        class="plain"
        aria-label={`Duplicate ${title}`}
        title="Duplicate"
        onClick={() => copy(panel)}
      >
        <Icon name="copy" />
      </button>
      <button type="button" class="plain" aria-label={`Remove ${title}`} title="Remove" onClick={() => remove(panel)}>
        <Icon name="bin" />
      </button>
    </header>
  );
};
