import type { Answer } from './attempt.js';
import { redacted } from './message.js';

/** Shorter secrets are not looked for: replacing them would spoil answers without hiding anything. */
const shortestSecret = 6;
/** Deeper JSON is kept as text. */
const deepest = 200;

/** What is kept of an answer. Secrets that a receiver sends back are replaced, as is what PostgreSQL cannot hold. */
export function keptAnswer({ statusCode, headers, body }: Answer, secrets: readonly string[]): string {
  const clean = (text: string) => wellFormed(hide(text, secrets));
  const kept = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      clean(Array.isArray(value) ? value.join(', ') : (value ?? '')),
    ]),
  );
  const text = body.toString('utf8');
  const json = isJson(headers['content-type']) ? asJson(hide(text, secrets)) : undefined;
  const written = json ?? JSON.stringify(clean(text));
  return `{"statusCode":${statusCode},"headers":${JSON.stringify(kept)},"body":${written}}`;
}

function hide(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue;
    // As it is, and as JSON writes it.
    hidden = hidden.replaceAll(secret, redacted).replaceAll(JSON.stringify(secret).slice(1, -1), redacted);
  }
  return hidden;
}

const wellFormed = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();

const isJson = (type: string | string[] | undefined) =>
  typeof type === 'string' && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type.trim());

/** The text itself where it is JSON that can be stored; characters that cannot be are replaced in it. */
function asJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  if (depthOf(text) > deepest) return undefined;
  const escape =
    /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})|\\[^]/g;
  return wellFormed(text).replace(escape, (found, _high, _low, alone?: string) => (alone ? '\\ufffd' : found));
}

function depthOf(json: string): number {
  let depth = 0;
  let greatest = 0;
  for (const [bracket] of json.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    greatest = Math.max(greatest, depth);
  }
  return greatest;
}
