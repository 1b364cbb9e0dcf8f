/** What stands in stored requests and answers in place of a secret. */
export const redacted = '[redacted]';

/** Shorter secrets are replaced only where a whole value is one: replacing them everywhere would spoil answers. */
const minLength = 6;

/** Takes the secrets of a hook out of what its receiver sent back. */
export interface Redaction {
  /** Whether nothing in a text can be a secret: neither the whole of it nor a part would be replaced. Quick. */
  untouched(text: string): boolean;
  /** Replaces secrets anywhere in a text: as they are, and in every spelling that JSON has for them. */
  text(text: string): string;
  /** The same for a value that stands for itself (of a header, in JSON): short secrets too, where it is one. */
  value(value: string): string;
  /** Takes away the beginning of a secret, 6 characters of it or more, with which a text that was cut off ends. */
  ending(text: string): string;
}

/** @param secrets every text that must not be kept, as it is */
export function createRedaction(secrets: readonly string[]): Redaction {
  const all = new Set(secrets);
  // The longest first: what is left of a secret once a part of it is replaced would no longer be found.
  const long = [...all].filter(({ length }) => length >= minLength).sort((a, b) => b.length - a.length);

  const text = (sent: string) => {
    if (untouched(sent)) return sent;
    const plain = long.reduce((hidden, secret) => hidden.replaceAll(secret, redacted), sent);
    if (!plain.includes('\\')) return plain;
    // Most escapes hide nothing, and to read them takes a fraction of what it takes to replace in them.
    const read = plain.replace(escape, unescaped);
    return long.some((secret) => read.includes(secret)) ? long.reduce(replaceEscaped, plain) : plain;
  };
  const untouched = (sent: string) => {
    if (all.size === 0) return true;
    if (sent.includes('\\')) return false;
    for (const secret of all) if (sent.includes(secret)) return false;
    return true;
  };
  return {
    untouched,
    text,
    value: (sent) => (all.has(sent.trim()) ? redacted : text(sent)),
    ending(sent) {
      // A character that was cut in two reads as this one.
      const whole = sent.replace(/\uFFFD{1,3}$/, '');
      const begun = Math.max(0, ...long.map((secret) => begunLength(whole, secret)));
      return begun === 0 ? sent : whole.slice(0, -begun);
    },
  };
}

/**
 * Replaces a secret however JSON's escapes write it. Unescaping and looking is linear; a pattern of all the spellings
 * would let a receiver that knows the secret keep this process busy.
 */
function replaceEscaped(text: string, secret: string): string {
  const pieces = piecesOf(text);
  const read = pieces.map(unescaped).join('');
  let hidden = '';
  let after = 0;
  for (let at = read.indexOf(secret); at >= 0; at = read.indexOf(secret, after)) {
    hidden += pieces.slice(after, at).join('') + redacted;
    after = at + secret.length;
  }
  return after === 0 ? text : hidden + pieces.slice(after).join('');
}

/** How many of a text's last characters are the beginning of a secret, written as it is or in JSON. */
function begunLength(text: string, secret: string): number {
  const tail = text.slice(-6 * secret.length);
  const half = /\\(?:u[\da-f]{0,3})?$/i.exec(tail)?.[0] ?? '';
  const pieces = piecesOf(tail.slice(0, tail.length - half.length));
  const read = pieces.map(unescaped).join('');
  for (let count = secret.length - 1; count >= minLength; count--) {
    const beginning = secret.slice(0, count);
    if (read.endsWith(beginning)) return pieces.slice(-count).join('').length + half.length;
    if (tail.endsWith(beginning)) return count;
  }
  return 0;
}

/** What JSON's escapes look like. */
const escape = /\\u[\da-f]{4}|\\[^]/gi;

/** A text in pieces that each stand for one UTF-16 unit, as JSON's escapes go. */
const piecesOf = (text: string): string[] => text.match(/\\u[\da-f]{4}|\\[^]|[^]/gi) ?? [];

/** The unit that a piece stands for. */
function unescaped(piece: string): string {
  if (piece.length === 1) return piece;
  if (piece.length === 6) return String.fromCharCode(Number.parseInt(piece.slice(2), 16));
  const at = 'bfnrt'.indexOf(piece.charAt(1));
  return at < 0 ? piece.charAt(1) : '\b\f\n\r\t'.charAt(at);
}
