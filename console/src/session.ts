import { computed, signal } from '@preact/signals';
import type { SessionQuery } from './documents.js';

/**
 * Who uses the console. The token is kept for this tab, or for this machine where that was chosen; it is never in an
 * address (the fragment of the first address is taken out at once) and in no cookie.
 */

const key = 'ddp.token';

/** The token that requests carry; undefined where nobody is signed in. */
export const token = signal<string | undefined>(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined);

/** Why the last session ended, as a sentence; undefined where the person ended it. */
export const ended = signal<string | undefined>();

/** The account of the organization, once the server has told it. */
export const account = signal<SessionQuery['account'] | undefined>();

/** The organization that the token belongs to. Only read where someone is signed in. */
export const organizationId = computed(() => account.value?.id ?? '');

/** Whether the caller is an owner of the organization. */
export const isOwner = signal(false);

/** Whether the token may change anything at all. */
export const mayWrite = signal(false);

/** Whether what only owners change is offered. */
export const mayOwn = computed(() => isOwner.value && mayWrite.value);

/** Keeps a token: for this tab, or for this machine. */
export function signIn(text: string, stay: boolean): void {
  forget();
  (stay ? localStorage : sessionStorage).setItem(key, text);
  ended.value = undefined;
  token.value = text;
}

/** Forgets the token. `reason`: what the server said, where it ended the session. */
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

/** Signs in by `#token=...` of the address, and takes it out of the address and the history at once. */
export function takeTokenFromAddress(): void {
  const text = new URLSearchParams(location.hash.slice(1)).get('token');
  if (text === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  signIn(text, false);
}
