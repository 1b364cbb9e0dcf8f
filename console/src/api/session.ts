import { computed, signal } from '@preact/signals';
import { toast } from '../browser/toast.js';
import type { SessionQuery } from './documents.js';

/* The session: either a cookie, which scripts cannot read, or a token, which takes precedence over the cookie. The page
   keeps the token for the open tabs, or on this machine when the user chose that. It never keeps the token in a cookie
   or in an address: it removes a token in the fragment at once. */

const key = 'ddp.token';
/**
 * Storage key of a wall's token, which comes from the link to one dashboard. It never replaces the token of a person.
 */
const wallKey = 'ddp.wall';

/** Beginning of the token of a link. */
const linkPrefix = 'ddplink_';

/** Whether the page is a wall: it shows a dashboard to whoever has its link, and nothing else. */
export const isWall = /^\/console\/wall\/?$/.test(location.pathname);

/** Token sent with requests; undefined when nobody is signed in. */
export const token = signal<string | undefined>(
  (isWall ? sessionStorage.getItem(wallKey) : (sessionStorage.getItem(key) ?? localStorage.getItem(key))) ?? undefined,
);

/** Person who is signed in by the cookie; null for nobody, undefined until the service has answered. */
export const person = signal<Person | null | undefined>();

/** Providers by which people sign in. */
export const providers = signal<readonly { number: number; name: string }[]>([]);

interface Person {
  name: string | null;
  username: string;
  avatarURL: string;
  /** Organization that the session acts in. */
  organizationId: string | null;
  organizations: readonly { id: string; username: string; name: string | null }[];
}

/** Asks who is signed in by the cookie. */
export async function findPerson(): Promise<void> {
  person.value = undefined;
  try {
    const answer = (await (await fetch('/auth/session')).json()) as {
      providers: typeof providers.value;
      session: Person | null;
    };
    providers.value = answer.providers;
    person.value = answer.session;
  } catch {
    person.value = null;
  }
  takeOffered();
}

/**
 * Channel between the tabs of this origin. Tokens that tabs exchange here are not stored: they end with the last tab.
 */
const tabs = new BroadcastChannel('ddp.session');

type Message = 'ask' | { readonly offered: string } | { readonly ended: string };

const tell: (message: Message) => void = tabs.postMessage.bind(tabs);

/** Token of another tab. */
let offered: string | undefined;

/** Signs in with the token of another tab, unless this tab has a session of its own. */
function takeOffered(): void {
  if (offered === undefined || token.value !== undefined || person.value !== null) return;
  signIn(offered, false);
  offered = undefined;
}

/** Asks the other tabs for their token, so that a new tab has the same session, and answers the tabs that ask. */
export function joinTabs(): void {
  // A wall neither gives its link to others nor takes the token of a person.
  if (isWall) return;
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data === 'ask') {
      if (token.value !== undefined) tell({ offered: token.value });
    } else if ('offered' in data) {
      if (!hasEnded) offered = data.offered;
      takeOffered();
    } else if (data.ended === token.value) void leave(undefined);
  });
  if (token.value === undefined) tell('ask');
}

/** Whether the user signed out in this tab. The tab then takes no token from another one. */
let hasEnded = false;

/** Returns the header with the token; no header when the session is a cookie. */
export const authorization = (): Record<string, string> =>
  token.value === undefined ? {} : { authorization: `Bearer ${token.value}` };

/** Reason why the last session ended, as a sentence; undefined when the user ended it. */
export const ended = signal<string | undefined>();

/** Message of a wall whose address contains something other than a link. */
export const noLink = 'The part of a link after # begins with ddplink_. Open the whole address that an owner made.';

/** Account of the organization, once the server has returned it. */
export const account = signal<SessionQuery['account'] | undefined>();

/** Organization that the token belongs to. It is read only while a user is signed in. */
export const organizationId = computed(() => account.value?.id ?? '');

/** Identifier of the signed-in user, or of the organization when the token belongs to the organization itself. */
export const viewerId = signal('');

/** Name of the signed-in user or organization. */
export const viewerName = signal('');

/** Whether the caller is an owner of the organization. */
export const isOwner = signal(false);

/** Whether the token may change anything. */
export const mayWrite = signal(false);

/** Whether actions reserved for owners are offered. */
export const mayOwn = computed(() => isOwner.value && mayWrite.value);

/** Endpoint where devices publish over MQTT; null if it is off. */
export const mqtt = signal<NonNullable<SessionQuery['viewer']>['mqtt']>(null);

/** Stores a token for this tab, or for this machine when `stay` is set. */
export function signIn(text: string, stay: boolean): void {
  forget();
  account.value = undefined;
  (stay ? localStorage : sessionStorage).setItem(key, text);
  ended.value = undefined;
  token.value = text;
}

/**
 * Deletes the token in every tab that has it, or ends the session of the cookie.
 * @param reason set when the server ended it.
 */
export async function signOut(reason?: string): Promise<void> {
  if (isWall) {
    // The token stays, so that a reloaded wall reports the refusal instead of asking for a link.
    ended.value = reason;
    token.value = undefined;
    return;
  }
  if (reason === undefined && token.value === undefined) {
    const response = await fetch('/auth/sign-out', { method: 'POST' }).catch(() => undefined);
    if (response?.ok !== true) return toast('You are still signed in: the service did not end your session.');
  }
  if (token.value !== undefined) tell({ ended: token.value });
  await leave(reason);
}

/**
 * Signs out when the service answers 401, because the token or the session of the cookie is no longer valid. The
 * sign-in screen then says so. Returns whether the answer was a 401.
 * @param code code of the refusal
 */
export function signOutIfUnauthenticated(code: string | undefined): boolean {
  if (code !== 'UNAUTHENTICATED') return false;
  void signOut('Your sign-in is no longer valid. Sign in again.');
  return true;
}

async function leave(reason: string | undefined): Promise<void> {
  forget();
  hasEnded = true;
  offered = undefined;
  ended.value = reason;
  account.value = undefined;
  token.value = undefined;
  await findPerson();
}

function forget(): void {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

/** Signs in with the `#token=...` of the address, and removes it from the address and the history at once. */
export function takeTokenFromAddress(): void {
  if (isWall) return takeWall();
  const text = new URLSearchParams(location.hash.slice(1)).get('token');
  if (text === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  signIn(text, false);
}

/**
 * Opens the wall of the link in the address, and removes the token from the address and the history at once. A wall
 * ignores the token of a person, who may have put it into the address by mistake.
 */
function takeWall(): void {
  const text = location.hash.slice(1);
  if (text === '') return;
  history.replaceState(null, '', location.pathname + location.search);
  if (text.startsWith(linkPrefix)) {
    sessionStorage.setItem(wallKey, text);
    ended.value = undefined;
    token.value = text;
  } else if (token.value === undefined) ended.value = noLink;
}
