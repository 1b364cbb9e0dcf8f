import type { AuditLineFragment } from '../../api/documents.js';
import { shown } from '../../format/value.js';
import { wordsOf } from './words.js';

type Change = AuditLineFragment['changes'][number];

/** Number of fields that are shown at once. An event of a creation has many. */
const mostShown = 5;

/**
 * Shows the changes of an event, one line per field. For a list it shows the added and removed items, for a secret only
 * that it changed.
 */
export const Difference = ({ of }: { of: readonly Change[] }) =>
  of.length === 0 ? (
    <span class="quiet">nothing</span>
  ) : (
    <>
      <Fields of={of.length > mostShown + 1 ? of.slice(0, mostShown) : of} />
      {of.length > mostShown + 1 && (
        <details>
          <summary class="quiet">{of.length - mostShown} more</summary>
          <Fields of={of.slice(mostShown)} />
        </details>
      )}
    </>
  );

const Fields = ({ of }: { of: readonly Change[] }) => (
  <ul class="lines difference">
    {of.map((change) => (
      <li key={change.field}>
        <span class="quiet">{wordsOf(change.field)}</span> <Values of={change} />
      </li>
    ))}
  </ul>
);

const Values = ({ of: { before, after } }: { of: Change }) => {
  if (Array.isArray(before) || Array.isArray(after))
    return <Items before={(before ?? []) as unknown[]} after={(after ?? []) as unknown[]} />;
  // Of a secret, the event records only this word instead of both values.
  if (before === 'changed' && after === 'changed') return <strong>changed</strong>;
  return (
    <>
      {before !== null && <del>{textOf(before)}</del>} {after !== null && <ins>{textOf(after)}</ins>}
    </>
  );
};

/** Shows the removed and the added items of a list. A changed item appears as both. */
const Items = ({ before, after }: { before: readonly unknown[]; after: readonly unknown[] }) => {
  const [old, now] = [new Set(before.map(textOf)), new Set(after.map(textOf))];
  const [gone, come] = [[...old].filter((text) => !now.has(text)), [...now].filter((text) => !old.has(text))];
  if (gone.length === 0 && come.length === 0)
    return <span class="quiet">{old.size === 0 ? 'none' : 'in another order'}</span>;
  return (
    <>
      {gone.map((text) => (
        <del key={`- ${text}`}>{text}</del>
      ))}{' '}
      {come.map((text) => (
        <ins key={`+ ${text}`}>{text}</ins>
      ))}
    </>
  );
};

/** Formats a value in one line: the name of an object, then its other fields, such as `temperature FLOAT32 °C`. */
const textOf = (value: unknown): string => {
  if (value === '') return '""';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return shown(value);
  const { id, name, ...others } = value as Readonly<Record<string, unknown>>;
  const parts = [name ?? id, ...Object.values(others)].filter((part) => part !== undefined && part !== null);
  return parts.map((part) => shown(part)).join(' ') || shown(value);
};
