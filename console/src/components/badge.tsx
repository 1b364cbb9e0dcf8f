import type { ComponentChildren } from 'preact';
import type { AlertSeverity } from '../api/documents.js';

/** Shows a state by a sign, a word and a colour, so that none of them is the only cue. */
export const Badge = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'quiet'; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{signs[tone]}</span> {children}
  </span>
);

const signs = { good: '●', warn: '▲', bad: '■', quiet: '○' } as const;

/** The tones of the severities. */
export const severityTones = { critical: 'bad', warning: 'warn', info: 'quiet' } as const;

/** The severities, the most severe first. */
export const severities = Object.keys(severityTones) as AlertSeverity[];
