/** Replacement of a secret in stored requests and answers. */
export const redacted = '[redacted]';

/**
 * Minimum length of secrets that are replaced inside longer texts. Shorter ones are replaced only if they are a whole
 * value: replacing them everywhere would spoil answers.
 */
const minLength = 6;

/** Removes the secrets of calls from the receiver's answer. */
export interface Redaction {
  /** Whether a text certainly contains no secret, neither as a whole nor in part. It is a quick check. */
  untouched(text: string): boolean;
  /** Replaces secrets anywhere in a text, as they are and in every JSON spelling. */
  text(text: string): string;
  /**
   * Replaces secrets in a self-contained value (of a header, in JSON), including a short secret that is the whole
   * value.
   */
  value(value: string): string;
  /** Removes the beginning of a secret, of 6 characters or more, from the end of a text that was cut off. */
  ending(text: string): string;
}

/**
 * Creates a redaction.
 * @param secrets every text that must not be kept, unescaped
 */
export function createRedaction(secrets: readonly string[]): Redaction {
  const all = new Set(secrets);
  // Longer secrets come first: once a part of a secret is replaced, the rest would no longer be found.
  const long = [...all].filter(({ length }) => length >= minLength).sort((a, b) => b.length - a.length);

  const text = (sent: string) => {
    if (untouched(sent)) return sent;
    const plain = long.reduce((hidden, secret) => hidden.replaceAll(secret, redacted), sent);
    if (!plain.includes('\\')) return plain;
    // Most escapes hide no secret, and decoding them takes a fraction of the time of replacing in them.
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
      // A character that was cut in two reads as U+FFFD.
      const whole = sent.replace(/\uFFFD{1,3}$/, '');
      const begun = Math.max(0, ...long.map((secret) => begunLength(whole, secret)));
      return begun === 0 ? sent : whole.slice(0, -begun);
    },
  };
}

/**
 * Replaces a secret in every spelling that JSON escapes allow. Unescaping and searching is linear. A pattern of all
 * spellings would let a receiver that knows the secret keep this process busy.
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

/**
 * Returns the number of characters at the end of a text that are the beginning of a secret, as it is or in JSON
 * escapes.
 */
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

/** Matches a JSON escape. */
const escape = /\\u[\da-f]{4}|\\[^]/gi;

/** Splits a text into pieces that each stand for one UTF-16 unit, by the escapes of JSON. */
const piecesOf = (text: string): string[] => text.match(/\\u[\da-f]{4}|\\[^]|[^]/gi) ?? [];

/** Decodes a piece to the UTF-16 unit that it stands for. */
function unescaped(piece: string): string {
  if (piece.length === 1) return piece;
  if (piece.length === 6) return String.fromCharCode(Number.parseInt(piece.slice(2), 16));
  const at = 'bfnrt'.indexOf(piece.charAt(1));
  return at < 0 ? piece.charAt(1) : '\b\f\n\r\t'.charAt(at);
}
