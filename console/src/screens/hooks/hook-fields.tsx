import { useState } from 'preact/hooks';
import type { HookAuthenticationInput } from '../../api/documents.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import type { Hook } from './hook-type.js';

/** The form fields of a hook: its address, and the authentication of its calls. */
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
          {hook !== undefined && <option value="same">Unchanged</option>}
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
        invalid TLS certificates
      </label>
    </>
  );
}

/** Reads the form of a hook. `authentication` is absent when it stays unchanged, and null to remove it. */
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
