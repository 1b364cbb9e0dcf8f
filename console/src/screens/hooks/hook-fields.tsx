import { useState } from 'preact/hooks';
import { Field } from '../../components/dialog.js';
import type { HookAuthenticationInput, HookQuery } from '../../documents.js';
import { textOf } from '../../form.js';

type Hook = NonNullable<HookQuery['applicationHook']>;

/** The fields of a hook's form: where it calls, and how calls authenticate. */
export function HookFields({ hook }: { hook?: Hook }) {
  const [kind, setKind] = useState(hook === undefined ? 'none' : 'same');
  return (
    <>
      <Field label="Address" hint="Called by POST with every record of the application's devices.">
        <input
          name="url"
          type="url"
          required
          placeholder="https://example.com/records"
          defaultValue={hook?.url ?? ''}
        />
      </Field>
      <Field label="Authentication">
        <select name="authentication" onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          {hook !== undefined && <option value="same">As it is</option>}
          <option value="none">None</option>
          <option value="basic">User and password</option>
          <option value="bearer">Bearer token</option>
          <option value="header">A header</option>
        </select>
      </Field>
      {(kind === 'basic' || kind === 'header') && (
        <Field label={kind === 'basic' ? 'User' : 'Name of the header'}>
          <input name="authentication-name" required autocomplete="off" />
        </Field>
      )}
      {(kind === 'basic' || kind === 'header' || kind === 'bearer') && (
        <Field label={kind === 'basic' ? 'Password' : 'Value'} hint="It is not shown again.">
          <input name="authentication-secret" type="password" required autocomplete="new-password" />
        </Field>
      )}
      <label class="check">
        <input name="unverified" type="checkbox" defaultChecked={hook?.allowUnverifiedSSLCert ?? false} /> Accept
        certificates that nobody vouches for
      </label>
    </>
  );
}

/** What a hook's form says. `authentication` is absent where it stays as it is, and null where there is none. */
export const hookOf = (form: FormData) => {
  const kind = textOf(form, 'authentication');
  return {
    url: textOf(form, 'url'),
    allowUnverifiedSSLCert: form.get('unverified') !== null,
    ...(kind !== 'same' && { authentication: authenticationOf(kind, form) }),
  };
};

const authenticationOf = (kind: string, form: FormData): HookAuthenticationInput | null => {
  const name = textOf(form, 'authentication-name');
  const secret = textOf(form, 'authentication-secret');
  if (kind === 'basic') return { basic: { user: name, pass: secret } };
  if (kind === 'bearer') return { bearer: { value: secret } };
  if (kind === 'header') return { header: { name, value: secret } };
  return null;
};
