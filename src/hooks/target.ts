import { createRedaction, type Redaction, redacted } from './redaction.js';
import type { Vault } from './secret.js';
import { sign } from './signature.js';
import { uriOf } from './uri.js';

/** A hook as it is stored, as far as calls need it; secrets sealed. */
export interface HookRow {
  hookId: string;
  url: string;
  basicUser: string | null;
  basicPass: string | null;
  headerName: string | null;
  headerValue: string | null;
  signingSecret: string | null;
  previousSigningSecret: string | null;
  /** Until when the previous secret signs too, in milliseconds since 1970. */
  previousSigningSecretUntil: number | null;
  allowUnverified: boolean;
}

/** A hook ready to be called; secrets open. What all its calls have in common is made once. */
export interface Target {
  origin: string;
  /** Path and query. */
  path: string;
  /** Headers of every call, with secrets: names and values in turn. */
  headers: readonly string[];
  /** The same as members of a JSON object, secrets replaced. */
  shownHeaders: string;
  /** The address in its twelve parts, as JSON. */
  shownUri: string;
  /** Removes the hook's secrets from what its receiver sends back. */
  redaction: Redaction;
  allowUnverified: boolean;
  /** The headers that sign a message; none where the hook has no signing secret. */
  sign(id: string, payload: string, now: number): readonly (readonly [string, string])[];
}

/** Where the secrets of a hook are sealed to; a sealed text opens only there. */
export const placeOf = (hookId: string, secret: 'basic_pass' | 'header_value' | 'signing_secret'): string =>
  `hook/${hookId}/${secret}`;

/** Most hooks that are kept ready. */
const maxTargets = 1000;

/** Makes hooks ready to be called, and keeps them ready for as long as they stay as they are. */
export function createTargets(vault: Vault): (row: HookRow) => Target {
  const targets = new Map<string, { row: HookRow; target: Target }>();
  return (row) => {
    const cached = targets.get(row.hookId);
    if (cached && same(cached.row, row)) return cached.target;
    const target = openTarget(vault, row);
    targets.delete(row.hookId);
    targets.set(row.hookId, { row, target });
    if (targets.size > maxTargets) targets.delete(targets.keys().next().value!);
    return target;
  };
}

const same = (a: HookRow, b: HookRow) =>
  a.url === b.url &&
  a.basicUser === b.basicUser &&
  a.basicPass === b.basicPass &&
  a.headerName === b.headerName &&
  a.headerValue === b.headerValue &&
  a.signingSecret === b.signingSecret &&
  a.previousSigningSecret === b.previousSigningSecret &&
  a.allowUnverified === b.allowUnverified;

function openTarget(vault: Vault, row: HookRow): Target {
  const open = (sealed: string | null, secret: Parameters<typeof placeOf>[1]) =>
    sealed === null ? undefined : vault.open(sealed, placeOf(row.hookId, secret));
  const pass = open(row.basicPass, 'basic_pass');
  const value = open(row.headerValue, 'header_value');
  const signing = open(row.signingSecret, 'signing_secret');
  const previous = open(row.previousSigningSecret, 'signing_secret');
  const until = row.previousSigningSecretUntil ?? 0;

  const credentials: Record<string, string> = {};
  const secrets: string[] = [];
  if (row.basicUser !== null && pass !== undefined) {
    const pair = Buffer.from(`${row.basicUser}:${pass}`).toString('base64');
    credentials['authorization'] = `Basic ${pair}`;
    secrets.push(pair, pass);
  }
  if (row.headerName !== null && value !== undefined) {
    // A header `Authorization` replaces that of `basic`.
    credentials[row.headerName.toLowerCase()] = value;
    secrets.push(value);
    // A receiver may send back the token without its scheme.
    const [, token] = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? [];
    if (token !== undefined) secrets.push(token);
  }
  for (const secret of [signing, previous]) if (secret !== undefined) secrets.push(secret);

  const uri = uriOf(row.url);
  const common = {
    host: uri.host,
    'user-agent': 'device-data-platform',
    'content-type': 'application/json',
    // Answers are not decompressed, so none may be compressed.
    'accept-encoding': 'identity',
  };
  const hidden = Object.fromEntries(Object.keys(credentials).map((name) => [name, redacted]));
  return {
    origin: `${uri.protocol}//${uri.host}`,
    path: uri.path,
    headers: Object.entries({ ...common, ...credentials }).flat(),
    shownHeaders: JSON.stringify({ ...common, ...hidden }).slice(1, -1),
    shownUri: JSON.stringify(uri),
    redaction: createRedaction(secrets),
    allowUnverified: row.allowUnverified,
    sign(id, payload, now) {
      const keys = [signing, now < until ? previous : undefined].filter((key) => key !== undefined);
      return keys.length === 0 ? [] : sign(keys, id, payload, now);
    },
  };
}
