import type { ComponentChildren } from 'preact';

/** A message in the place of a panel's content. */
export const Note = ({
  title,
  isFault = false,
  children,
}: {
  title: string;
  isFault?: boolean;
  children?: ComponentChildren;
}) => (
  <div class={isFault ? 'panel-note fault' : 'panel-note'} role={isFault ? 'alert' : undefined}>
    <p class="empty-title">{title}</p>
    <p>{children}</p>
  </div>
);
