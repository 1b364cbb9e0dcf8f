import type { ComponentChildren } from 'preact';

/** How something fares: a sign, a word and a colour, so that none of them stands alone. */
export const Badge = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'quiet'; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{signs[tone]}</span> {children}
  </span>
);

const signs = { good: '●', warn: '▲', bad: '■', quiet: '○' } as const;
