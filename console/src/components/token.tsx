import { textOf } from '../browser/form.js';
import { formatTime, secondsOf } from '../format/time.js';
import { Action } from './action.js';
import { Ago } from './ago.js';
import { Copyable } from './copy.js';
import { Field } from './dialog.js';
import type { Column } from './table.js';

/** The fields of a token that tables show. */
export interface TokenLine {
  id: string;
  name: string | null;
  prefix: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** Columns for the creation, last use and end of a token. */
export const lifeColumns: readonly Column<TokenLine>[] = [
  { title: 'Created', sort: 'createdAt', cell: ({ createdAt }) => formatTime(secondsOf(createdAt)) },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago at={secondsOf(lastUsedAt)} /> : 'never') },
  {
    title: 'Ends',
    cell: ({ revokedAt, expiresAt }) =>
      revokedAt ? 'revoked' : expiresAt ? formatTime(secondsOf(expiresAt)) : 'never',
  },
];

/** Days after which a token can end, with the words of the choice. */
const lifetimes = { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'A year' } as const;

/** The field that chooses when a token ends. */
export const ExpiryField = () => (
  <Field label="Ends after" hint="After this time the token is refused, so a forgotten one does no harm.">
    <select name="days">
      {Object.entries(lifetimes).map(([days, words]) => (
        <option key={days} value={days} selected={days === '90'}>
          {words}
        </option>
      ))}
      <option value="">Never</option>
    </select>
  </Field>
);

/** Returns when a token ends, by the field of a form; null for never. */
export const expiryOf = (form: FormData): string | null => {
  const days = textOf(form, 'days');
  return days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
};

/** Shows a newly created token, and commands that use it by what they do. */
export const MadeToken = ({
  token,
  commands,
}: {
  token: string;
  commands: Readonly<Record<string, string | undefined>>;
}) => (
  <div role="status">
    <p>The new token. It is shown only once:</p>
    <Copyable label="The new token" text={token} />
    {Object.entries(commands).map(
      ([does, command]) =>
        command !== undefined && (
          <div key={does}>
            <p>{does}:</p>
            <Copyable label={does} text={command} />
          </div>
        ),
    )}
  </div>
);

/** Revokes a token after confirmation. */
export const RevokeToken = ({
  token: { name, prefix, revokedAt },
  revoke,
}: {
  token: TokenLine;
  revoke: () => Promise<void>;
}) =>
  revokedAt ? null : (
    <Action
      label="Revoke"
      title={`Revoke ${name ?? prefix}`}
      action="Revoke"
      danger
      done="The token was revoked."
      submit={revoke}
    >
      <p>
        Whoever uses the token that begins with <code>{prefix}</code> is refused from now on. If it is the one that you
        are signed in with, you are signed out.
      </p>
    </Action>
  );
