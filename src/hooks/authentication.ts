import type { Vault } from '#calls/vault.js';
import { type Fault, invalid } from '#common/errors.js';
import type { HookCredentials } from '#entities/hook.js';
import { secretPlace } from './target.js';

/** Authentication of a hook's calls, as a client of the API sends it. */
export interface AuthenticationInput {
  basic?: { user: string; pass?: string | null } | null;
  header?: { name?: string | null; value: string } | null;
  bearer?: { value: string } | null;
}

/** Headers that the connection or the message itself needs. Hooks cannot set them. */
const reserved = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-service-delivery-id',
  'x-service-event',
]);

/** Returns the faults that an authentication has by itself, whatever the hook has stored. */
export function faultsOfAuthentication({ header, bearer }: AuthenticationInput): Fault[] {
  const faults: Fault[] = [];
  if (bearer && header) faults.push({ path: 'authentication.bearer', message: 'must not come together with header' });
  const name = bearer ? undefined : header?.name;
  if (name && reserved.has(name.toLowerCase())) {
    faults.push({ path: 'authentication.header.name', message: `must not be ${name}, which calls carry already` });
  }
  return faults;
}

/**
 * Returns the columns of an authentication, with secrets sealed. It replaces the stored authentication, except that
 * `basic` without a password keeps the stored password (contract, section 6).
 * `bearer` is short for the header `Authorization`. A client may send `basic` and a header `Authorization` together:
 * both are stored, and calls carry the header's value.
 * @throws ApiError 422 for fields that contradict each other, reserved header names, and a missing password
 */
export function sealAuthentication(
  vault: Vault,
  hook: HookCredentials & { id: string },
  authentication: AuthenticationInput,
): HookCredentials {
  const { basic, header, bearer } = authentication;
  const named = bearer ? { name: 'Authorization', value: `Bearer ${bearer.value}` } : header;
  const name = named && (named.name ?? 'Authorization');
  const faults = faultsOfAuthentication(authentication);
  if (basic && basic.pass == null && hook.basicPass === null) {
    faults.push({ path: 'authentication.basic.pass', message: 'is required' });
  }
  if (faults.length > 0) throw invalid(faults);
  // A secret that equals the stored one keeps its sealed text, so that sending the same authentication again changes
  // nothing.
  const seal = (value: string, stored: string | null, place: string) =>
    stored !== null && vault.open(stored, place) === value ? stored : vault.seal(value, place);
  return {
    basicUser: basic ? basic.user : null,
    basicPass: !basic
      ? null
      : basic.pass == null
        ? hook.basicPass
        : seal(basic.pass, hook.basicPass, secretPlace(hook.id, 'basic_pass')),
    headerName: name ?? null,
    headerValue: named ? seal(named.value, hook.headerValue, secretPlace(hook.id, 'header_value')) : null,
  };
}

/** Whether calls omit `basic` because the hook's own header is also `Authorization`. */
export const isBasicReplaced = ({ basicUser, headerName }: HookCredentials): boolean =>
  basicUser !== null && headerName?.toLowerCase() === 'authorization';

/** Opens the value of a hook's header. */
export const openHeaderValue = (vault: Vault, sealed: string, hookId: string): string =>
  vault.open(sealed, secretPlace(hookId, 'header_value'));
