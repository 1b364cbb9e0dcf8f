import type { ComponentChildren } from 'preact';

/** Shows a state by a sign, a word and a colour, so that none of them is the only cue. */
export const Badge = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'quiet'; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{signs[tone]}</span> {children}
  </span>
);

const signs = { good: '●', warn: '▲', bad: '■', quiet: '○' } as const;
