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

/** Returns the state of a hook, by which the lists filter. */
export const fares = ({ disabled, settings: { circuit, failuresInRow } }: Hook): 'delivers' | 'fails' | 'stands' =>
  disabled ? 'stands' : circuit !== 'closed' || failuresInRow > 0 ? 'fails' : 'delivers';

/** Shows the state of a hook in words, with the reason. */
export const HookState = ({ hook }: { hook: Hook }) => {
  const { disabledReason, settings } = hook;
  switch (fares(hook)) {
    case 'stands':
      return <Badge tone="bad">{reasons[disabledReason ?? ''] ?? 'switched off'}</Badge>;
    case 'fails':
      return (
        <Badge tone="warn">
          {settings.circuit === 'closed' ? '' : `circuit ${settings.circuit}, `}
          {settings.failuresInRow} failed in a row
        </Badge>
      );
    default:
      return <Badge tone="good">delivers</Badge>;
  }
};

/** Formats a share from 0 to 1 as percent; null becomes a dash. */
export const percent = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;

/** Formats milliseconds; null becomes a dash. */
export const millis = (value: number | null): string =>
  value === null ? '–' : `${Math.round(value).toLocaleString()} ms`;
