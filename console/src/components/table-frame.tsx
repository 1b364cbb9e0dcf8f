import type { ComponentChildren } from 'preact';

/**
 * Scrolls a wide table sideways. The frame takes the focus, so that the arrow keys scroll it. `label` names it for
 * screen readers. `shape` has further classes.
 */
export const TableFrame = ({
  label,
  shape,
  children,
}: {
  label: string;
  shape?: 'numbers' | 'panel-scroll' | 'tall';
  children: ComponentChildren;
}) => (
  <div
    class={shape === undefined ? 'table-frame' : `table-frame ${shape}`}
    tabIndex={0}
    role="group"
    aria-label={label}
  >
    {children}
  </div>
);
