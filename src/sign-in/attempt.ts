import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { returnPath } from './return-to.js';

/* A sign-in that is under way is stored nowhere. The state that travels to the provider and back contains it, sealed by
   the secret of the browser's cookie. So begun sign-ins take no room, and only the browser that began one can end it. */

/** Maximum duration of a sign-in, in milliseconds. */
export const attemptTime = 600_000;

/** A sign-in in progress. */
export interface SignInAttempt {
  /** Number of the provider in the settings. */
  provider: number;
  redirectUri: string;
  returnTo: string;
  /** Token of the invitation with which the sign-in began; '' without one. */
  invitation: string;
}

/** A sign-in in progress, with the values that check it when the person comes back. */
export interface SealedAttempt extends SignInAttempt {
  state: string;
  nonce: string;
  /** PKCE code verifier (RFC 7636). */
  verifier: string;
}

const lengths = { iv: 12, tag: 16 };
/** Maximum number of characters of a state. */
const longest = 2000;

/**
 * Seals a sign-in that begins.
 * @param browser secret of the browser's cookie
 */
export function sealAttempt(browser: string, attempt: SignInAttempt, now: Date): SealedAttempt {
  const iv = randomBytes(lengths.iv);
  const cipher = createCipheriv('aes-256-gcm', keyOf(browser, 'seal'), iv);
  const { provider, redirectUri, returnTo, invitation } = attempt;
  const text = JSON.stringify([now.getTime() + attemptTime, provider, redirectUri, returnTo, invitation]);
  const sealed = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return { ...attempt, state: sealed.toString('base64url'), ...checksOf(browser, iv) };
}

/** Opens the state of a callback; undefined if this browser did not begin the sign-in, or too long ago. */
export function openAttempt(browser: string, state: string, now: Date): SealedAttempt | undefined {
  const sealed = state.length <= longest ? Buffer.from(state, 'base64url') : Buffer.alloc(0);
  if (browser === '' || sealed.length <= lengths.iv + lengths.tag) return undefined;
  const iv = sealed.subarray(0, lengths.iv);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(browser, 'seal'), iv);
  decipher.setAuthTag(sealed.subarray(-lengths.tag));
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(lengths.iv, -lengths.tag)), decipher.final()]);
    const [until, provider, redirectUri, returnTo, invitation] = (JSON.parse(text.toString()) as unknown[]).map(String);
    // The same bytes have several spellings in base64url. Only one counts, so that a used state is recognized.
    if (Number(until) <= now.getTime() || sealed.toString('base64url') !== state) return undefined;
    const attempt = { provider: Number(provider), redirectUri: redirectUri!, invitation: invitation! };
    return { ...attempt, returnTo: returnPath(returnTo!), state, ...checksOf(browser, iv) };
  } catch {
    return undefined;
  }
}

const keyOf = (browser: string, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', browser, '', `ddp sign-in ${use}`, 32));

/** Derives the nonce and the code verifier of a sign-in, so that neither has to be kept. */
const checksOf = (browser: string, iv: Buffer) => {
  const derive = (use: string) => createHmac('sha256', keyOf(browser, use)).update(iv).digest('base64url');
  return { nonce: derive('nonce'), verifier: derive('verifier') };
};
