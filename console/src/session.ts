import { computed, signal } from '@preact/signals';
import type { SessionQuery } from './documents.js';

/**
 * The session. The token is kept for this tab, or for this machine when the user chose that. It is never kept in an
 * address (a token in the fragment is removed at once) or in a cookie.
 */

const key = 'ddp.token';

/** Token sent with requests; undefined when nobody is signed in. */
export const token = signal<string | undefined>(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined);

/** Reason why the last session ended, as a sentence; undefined when the user ended it. */
export const ended = signal<string | undefined>();

/** Account of the organization, once the server has returned it. */
export const account = signal<SessionQuery['account'] | undefined>();

/** Organization that the token belongs to. It is read only while a user is signed in. */
export const organizationId = computed(() => account.value?.id ?? '');

/** Whether the caller is an owner of the organization. */
export const isOwner = signal(false);

/** Whether the token may change anything. */
export const mayWrite = signal(false);

/** Whether actions reserved for owners are offered. */
export const mayOwn = computed(() => isOwner.value && mayWrite.value);

/** Stores a token for this tab, or for this machine when `stay` is set. */
export function signIn(text: string, stay: boolean): void {
  forget();
  (stay ? localStorage : sessionStorage).setItem(key, text);
  ended.value = undefined;
  token.value = text;
}

/**
 * Deletes the token.
 * @param reason the server's message when it ended the session.
 */
export function signOut(reason?: string): void {
  forget();
  ended.value = reason;
  account.value = undefined;
  token.value = undefined;
}

function forget(): void {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

/** Signs in with the `#token=...` of the address, and removes it from the address and the history at once. */
export function takeTokenFromAddress(): void {
  const text = new URLSearchParams(location.hash.slice(1)).get('token');
  if (text === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  signIn(text, false);
}
