import { LuceneSyntaxError } from './syntax-error.js';

const blank = /[ \t\n\r\u3000]/;
/** Characters that end a term unless a backslash precedes them. */
const ending = /[ \t\n\r\u3000!():^[\]"{}~\\/]/;
const starting = /[ \t\n\r\u3000+\-!():^[\]"{}~\\/]/;
const operators = new Set(['AND', 'OR', 'NOT', '&&', '||']);

/** A word as it is written. */
interface Word {
  readonly text: string;
  /** The word with its escapes, for patterns. */
  readonly raw: string;
  readonly pattern: boolean;
}

/** Reads the tokens of Lucene's classic syntax from a text in sequence. */
export class TokenReader {
  protected index = 0;

  constructor(protected readonly text: string) {}

  /** Reads a quoted text, or an expression between slashes. */
  protected quoted(quote: '"' | '/'): string {
    const body = quote === '"' ? /^"((?:[^"\\]|\\.)*)"/s : /^\/((?:[^/\\]|\\.)*)\//s;
    const match = body.exec(this.text.slice(this.index)) ?? this.fail();
    this.index += match[0].length;
    return quote === '"' ? unescape(match[1]!) : match[1]!.replaceAll('\\/', '/');
  }

  /** Reads a word that is not an operator. Returns undefined, and reads nothing, if none comes next. */
  protected word(): Word | undefined {
    const start = this.index;
    let raw = '';
    let pattern = false;
    for (; this.index < this.text.length; ) {
      const character = this.text[this.index]!;
      if (character === '\\') {
        if (this.index + 1 >= this.text.length) this.fail();
        raw += this.text.slice(this.index, this.index + 2);
        this.index += 2;
        continue;
      }
      if ((raw === '' ? starting : ending).test(character)) break;
      pattern ||= character === '*' || character === '?';
      raw += character;
      this.index += 1;
    }
    if (raw !== '' && !operators.has(raw)) return { raw, text: unescape(raw), pattern };
    this.index = start;
    return undefined;
  }

  /** Whether `+`, `-` or `!` before a blank comes next, which is a word. */
  protected isBareOperator(): boolean {
    return /[+\-!]/.test(this.peek() ?? '') && blank.test(this.text[this.index + 1] ?? '');
  }

  protected takesPattern(pattern: RegExp): boolean {
    const [found] = pattern.exec(this.text.slice(this.index)) ?? [];
    this.index += found?.length ?? 0;
    return found !== undefined;
  }

  protected takes(token: string): boolean {
    this.skip();
    if (!this.text.startsWith(token, this.index)) return false;
    this.index += token.length;
    return true;
  }

  protected takesWord(word: string): boolean {
    this.skip();
    const after = this.text[this.index + word.length];
    if (!this.text.startsWith(word, this.index) || !ending.test(after ?? ' ') || after === '\\') return false;
    this.index += word.length;
    return true;
  }

  protected peek(): string | undefined {
    this.skip();
    return this.text[this.index];
  }

  protected take(): string | undefined {
    const next = this.peek();
    this.index += 1;
    return next;
  }

  protected skip(): void {
    while (blank.test(this.text[this.index] ?? '')) this.index += 1;
  }

  protected fail(inRange = false): never {
    throw this.failure(!inRange && /["/\\\]}]/.test(this.text[this.index] ?? ''));
  }

  protected failure(lexical: boolean): LuceneSyntaxError {
    const found = this.text[this.index] ?? '<EOF>';
    return new LuceneSyntaxError(
      `Cannot parse '${this.text}': Encountered "${found}" at line 1, column ${this.index}.`,
      lexical,
    );
  }
}

/** Removes the backslashes of a text. */
export const unescape = (text: string): string => {
  if (text.replaceAll(/\\(?:u[0-9a-fA-F]{4}|[^u])/gs, '').includes('\\u'))
    throw new LuceneSyntaxError(`Cannot parse '${text}': Truncated unicode escape sequence.`);
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, plain: string) =>
    code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
  );
};
