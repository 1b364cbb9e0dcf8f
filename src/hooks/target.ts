import { createRedaction, type Redaction, redacted } from '#calls/redaction.js';
import type { Vault } from '#calls/vault.js';
import { sign } from './signature.js';

/** The stored columns of a hook that calls need, with secrets sealed. */
export interface HookRow {
  hookId: string;
  url: string;
  basicUser: string | null;
  basicPass: string | null;
  headerName: string | null;
  headerValue: string | null;
  signingSecret: string | null;
  previousSigningSecret: string | null;
  /** Time until which the previous secret also signs, in milliseconds since 1970. */
  previousSigningSecretUntil: number | null;
  allowUnverified: boolean;
}

/** A hook prepared for calls, with secrets opened. It holds everything that its calls have in common. */
export interface HookTarget {
  origin: string;
  /** Path and query. */
  path: string;
  /** Headers of every call, including secrets: names and values, alternating. */
  headers: readonly string[];
  /** The same headers as members of a JSON object, with secrets replaced. */
  shownHeaders: string;
  /** The hook's URL in its twelve parts, as JSON. */
  shownUri: string;
  /** Removes the hook's secrets from its receiver's answers. */
  redaction: Redaction;
  allowUnverified: boolean;
  /** Returns the headers that sign a message; none if the hook has no signing secret. */
  sign(id: string, payload: string, now: number): readonly (readonly [string, string])[];
}

/** Returns the place that a hook's secret is sealed for. A sealed text opens only there. */
export const secretPlace = (hookId: string, secret: 'basic_pass' | 'header_value' | 'signing_secret'): string =>
  `hook/${hookId}/${secret}`;

/** Maximum number of prepared hooks that are cached. */
const maxTargets = 1000;

/** Creates a function that prepares hooks for calls and caches them until their row changes. */
export function createTargets(vault: Vault): (row: HookRow) => HookTarget {
  const targets = new Map<string, { row: HookRow; target: HookTarget }>();
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

function openTarget(vault: Vault, row: HookRow): HookTarget {
  const open = (sealed: string | null, secret: Parameters<typeof secretPlace>[1]) =>
    sealed === null ? undefined : vault.open(sealed, secretPlace(row.hookId, secret));
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
    // A header `Authorization` replaces the one of `basic`.
    credentials[row.headerName.toLowerCase()] = value;
    secrets.push(value);
    // A receiver may send the token back without its scheme.
    const [, token] = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? [];
    if (token !== undefined) secrets.push(token);
  }
  for (const secret of [signing, previous]) if (secret !== undefined) secrets.push(secret);

  const uri = uriOf(row.url);
  const common = {
    host: uri.host,
    'user-agent': 'device-data-platform',
    'content-type': 'application/json',
    // Answers are not decompressed, so receivers must not compress them.
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

/** A URL in the twelve parts that deliveries show (contract, section 5). Empty parts are null. */
interface Uri {
  href: string;
  path: string;
  pathname: string;
  query: string | null;
  search: string | null;
  hash: string | null;
  hostname: string;
  port: string | null;
  host: string;
  auth: string | null;
  slashes: boolean;
  protocol: string;
}

/** Splits a URL into its twelve parts. */
function uriOf(text: string): Uri {
  const url = new URL(text);
  const or = (part: string) => (part === '' ? null : part);
  return {
    href: url.href,
    path: url.pathname + url.search,
    pathname: url.pathname,
    query: or(url.search.slice(1)),
    search: or(url.search),
    hash: or(url.hash),
    hostname: url.hostname,
    port: or(url.port),
    host: url.host,
    auth: null,
    slashes: true,
    protocol: url.protocol,
  };
}
