import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** A screen with its title (also that of the tab), its actions and its content. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Device Data Platform`;
  }, [title]);
  return (
    <main id="main" tabIndex={-1}>
      <header class="page-head">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}

/** A section of a screen with a heading of its own. */
export const Section = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section aria-label={title}>
    <header class="section-head">
      <h2>{title}</h2>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
);

/** A list of names and values. Entries without a value are left out. */
export const Facts = ({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
