import type { CircuitState } from '../../api/documents.js';
import { Badge } from '../../components/badge.js';

interface Hook {
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly settings: { readonly circuit: CircuitState; readonly failuresInRow: number };
}

const reasons: Readonly<Record<string, string>> = {
  request: 'switched off by hand',
  gone: 'switched off: it answered 410',
  failing: 'switched off: five days of failures',
};

/** Returns the state of a hook that the lists filter by. */
export const fares = ({ disabled, settings: { circuit, failuresInRow } }: Hook): 'delivers' | 'fails' | 'stands' =>
  disabled ? 'stands' : circuit !== 'closed' || failuresInRow > 0 ? 'fails' : 'delivers';

const words = (hook: Hook): string => {
  const { circuit, failuresInRow } = hook.settings;
  switch (fares(hook)) {
    case 'stands':
      return reasons[hook.disabledReason ?? ''] ?? 'switched off';
    case 'fails':
      return `${circuit === 'closed' ? '' : `circuit ${circuit}, `}${failuresInRow} failed in a row`;
    default:
      return 'delivers';
  }
};

const tones = { delivers: 'good', fails: 'warn', stands: 'bad' } as const;

/**
 * Shows the state of a hook in words, with the reason.
 * @param begins whether the words begin a sentence.
 */
export const HookState = ({ hook, begins = false }: { hook: Hook; begins?: boolean }) => {
  const text = words(hook);
  return <Badge tone={tones[fares(hook)]}>{begins ? text.slice(0, 1).toUpperCase() + text.slice(1) : text}</Badge>;
};

/** Formats a share from 0 to 1 as percent; null becomes a dash. */
export const percent = (share: number | null): string =>
  share === null ? '–' : `${tenths(share * 100).toLocaleString()} %`;

/** Rounds to tenths, but to neither end: 99.96 % of deliveries are not all of them. */
const tenths = (value: number): number =>
  value <= 0 || value >= 100 ? value : Math.min(99.9, Math.max(0.1, Math.round(value * 10) / 10));

/** Formats milliseconds; null becomes a dash. */
export const millis = (value: number | null): string =>
  value === null ? '–' : `${Math.round(value).toLocaleString()} ms`;
