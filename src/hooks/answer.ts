import { type CallAnswer, keepLimit } from '#calls/caller.js';
import type { Redaction } from '#calls/redaction.js';

/** Maximum nesting of JSON that is kept as JSON. Deeper JSON is kept as text. */
const maxDepth = 200;

/**
 * Returns the part of an answer that is kept, as JSON text. It replaces secrets that a receiver sends back, and
 * characters that PostgreSQL cannot store.
 */
export function storedAnswer({ statusCode, headers, body, truncated }: CallAnswer, redaction: Redaction): string {
  const kept = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      redaction.text(name),
      wellFormed(
        typeof value === 'string'
          ? redaction.value(value)
          : redaction.text([value ?? ''].flat().map(redaction.value).join(', ')),
      ),
    ]),
  );
  const tooLong = body.length > keepLimit;
  const sent = redaction.text(body.toString('utf8'));
  const text = truncated ? redaction.ending(sent) : sent;
  const json = !tooLong && isJson(headers['content-type']) ? asJson(text, redaction) : undefined;
  const plain = () => {
    const whole = redaction.value(text);
    // The cut comes after the secrets are replaced, so that it cannot split a secret.
    return wellFormed(tooLong ? Buffer.from(whole).subarray(0, keepLimit).toString('utf8') : whole);
  };
  return `{"statusCode":${statusCode},"headers":${JSON.stringify(kept)},"body":${json ?? JSON.stringify(plain())}}`;
}

const wellFormed = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();

const isJson = (type: string | string[] | undefined) =>
  typeof type === 'string' && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type.trim());

/**
 * Returns a JSON text with secrets and characters that PostgreSQL cannot store replaced. Returns undefined for text
 * that is not JSON or is nested too deeply.
 */
function asJson(text: string, redaction: Redaction): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  if (depthOf(text) > maxDepth) return undefined;
  const escape =
    /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})|\\[^]/g;
  const hidden = redaction.untouched(text)
    ? text
    : replaceScalars(text, (token) => {
        const value = token.startsWith('"') ? stringOf(token) : token;
        const shown = redaction.value(value);
        return shown === value ? token : JSON.stringify(shown);
      });
  return wellFormed(hidden).replace(escape, (found, _high, _low, alone?: string) => (alone ? '\\ufffd' : found));
}

/** Decodes a string token of a JSON text. */
const stringOf = (token: string): string => (token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1));

/**
 * Replaces the strings and numbers of a JSON text. The text must be valid JSON: the loop relies on each string having
 * an end.
 */
function replaceScalars(json: string, replace: (token: string) => string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let start = 0, end = 1; start < json.length; start = end++) {
    if (json[start] === '"') {
      while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
      end++;
    } else if (/[-\d]/.test(json[start]!)) while (/[\d.eE+-]/.test(json[end] ?? '')) end++;
    else continue;
    pieces.push(json.slice(copied, start), replace(json.slice(start, end)));
    copied = end;
  }
  return pieces.join('') + json.slice(copied);
}

/** Returns the maximum nesting of a JSON text. */
function depthOf(json: string): number {
  let depth = 0;
  let greatest = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '{' || character === '[') greatest = Math.max(greatest, ++depth);
    else if (character === '}' || character === ']') depth--;
    else if (character === '"') while (json[++at] !== '"') if (json[at] === '\\') at++;
  }
  return greatest;
}
