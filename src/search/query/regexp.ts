import { illegalArgument, type Place, queryShard } from '../failure.js';
import { mostRegexpCost, regexpCost } from './regexp-cost.js';

/**
 * A regular expression of Lucene in PostgreSQL's syntax, anchored at both ends. `^` and `$` are plain characters, `"…"` is
 * plain text, `@` any text, `#` no text at all, `<1-99>` a number in a range; `&` between whole expressions asks for both,
 * `~` before a whole one for its opposite. Letters A to Z match either case where asked for, no others do, nor ranges of them.
 * @throws SearchFailure where the expression is none, asks for an intersection or opposite of a part, or costs too much.
 */
export const translateRegexp = (
  expression: string,
  caseInsensitive: boolean,
  place: Place,
  operators: ReadonlySet<string> = allOperators,
): string => {
  const translated = new Translation([...expression], caseInsensitive, place, operators).whole();
  if (regexpCost(translated) <= mostRegexpCost) return translated;
  const reason = `Determinizing automaton of [${expression}] would require more than ${mostRegexpCost} effort.`;
  throw queryShard(`failed to create query: ${reason}`, place, {
    type: 'too_complex_to_determinize_exception',
    reason,
  });
};

const flags: Readonly<Record<string, string>> = {
  INTERSECTION: '&',
  COMPLEMENT: '~',
  EMPTY: '#',
  ANYSTRING: '@',
  INTERVAL: '<',
  NONE: '',
};
const allOperators: ReadonlySet<string> = new Set('&~#@<');

/** The operators that flags such as `INTERVAL|EMPTY` switch on; the characters of the others are plain. */
export const operatorsOf = (text: string, place: Place): ReadonlySet<string> => {
  const names = text.split('|').filter((name) => name !== '');
  const unknown = names.find((name) => name.toUpperCase() !== 'ALL' && !Object.hasOwn(flags, name.toUpperCase()));
  if (unknown !== undefined) throw illegalArgument(`Unknown regexp flag [${unknown}]`, place);
  if (names.length === 0 || names.some((name) => name.toUpperCase() === 'ALL')) return allOperators;
  return new Set(names.map((name) => flags[name.toUpperCase()]!));
};

const largestRepeat = 255;
const largestInterval = 1000;
const classes: Readonly<Record<string, string>> = { d: '0-9', w: 'a-zA-Z0-9_', s: ' \\t\\n\\r' };

class Translation {
  private index = 0;

  constructor(
    private readonly characters: readonly string[],
    private readonly caseInsensitive: boolean,
    private readonly place: Place,
    private readonly operators: ReadonlySet<string>,
  ) {}

  whole(): string {
    let required = '';
    for (;;) {
      const opposite = this.operates('~');
      // An opposite is that of the one thing after it, of which nothing may follow.
      const part = opposite ? this.one() : this.union();
      if (opposite && this.peek() !== undefined && !this.isOperator('&'))
        this.fail('opposites of a part of an expression are not supported');
      const more = this.operates('&');
      if (!more && !opposite) return this.end(`^${required}(?:${part})$`);
      required += opposite ? `(?!(?:${part})$)` : `(?=(?:${part})$)`;
      if (!more) return this.end(`^${required}.*$`);
    }
  }

  private end(translated: string): string {
    if (this.index < this.characters.length) this.fail(`unexpected character at position ${this.index}`);
    return translated;
  }

  private union(): string {
    const parts = [this.sequence()];
    while (this.takes('|')) parts.push(this.sequence());
    return parts.join('|');
  }

  private sequence(): string {
    let result = '';
    for (
      let next = this.peek();
      next !== undefined && next !== '|' && next !== ')' && !this.isOperator('&');
      next = this.peek()
    ) {
      result += this.repeated();
    }
    return result;
  }

  private repeated(): string {
    let result = this.atom();
    for (;;) {
      if (this.takes('?')) result = `(?:${result})?`;
      else if (this.takes('*')) result = `(?:${result})*`;
      else if (this.takes('+')) result = `(?:${result})+`;
      else if (this.peek() === '{') result = `(?:${result})${this.bounds()}`;
      else return result;
    }
  }

  private bounds(): string {
    const [bounds, from, comma = '', to = ''] =
      /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.rest()) ?? this.fail('integer expected');
    if (Number(from) > largestRepeat || Number(to) > largestRepeat)
      this.fail(`repeats are limited to ${largestRepeat}`);
    if (to !== '' && Number(to) < Number(from)) this.fail('invalid repetition range(s)');
    this.index += [...bounds].length;
    return `{${from}${comma}${to}}`;
  }

  private atom(): string {
    const character = this.take();
    if (allOperators.has(character) && !this.operators.has(character)) return this.literal(character);
    switch (character) {
      case '(': {
        if (this.takes(')')) return '(?:)';
        const inner = this.union();
        if (this.isOperator('&')) this.fail('intersections inside groups are not supported');
        if (!this.takes(')')) this.fail("expected ')'");
        return `(?:${inner})`;
      }
      case '[':
        return this.characterClass();
      case '.':
        return '.';
      case '@':
        return '(?:.*)';
      case '#':
        return '(?!.*)';
      case '"':
        return this.quoted();
      case '<':
        return this.interval();
      case '~':
        return this.fail('opposites of a part of an expression are not supported');
      case '\\':
        return this.escaped();
      case '*':
      case '+':
      case '?':
      case '{':
        return this.fail(`nothing to repeat at position ${this.index - 1}`);
      default:
        return this.literal(character);
    }
  }

  /** One thing, of which there must be one. */
  private one(): string {
    return this.peek() === undefined ? this.fail('end of expression') : this.atom();
  }

  private escaped(): string {
    const character = this.peek() === undefined ? this.fail('escape sequence at the end') : this.take();
    const known = Object.hasOwn(classes, character.toLowerCase()) ? classes[character.toLowerCase()] : undefined;
    if (known === undefined) return this.literal(character);
    return character === character.toLowerCase() ? `[${known}]` : `[^${known}]`;
  }

  private quoted(): string {
    let result = '';
    while (this.peek() !== undefined && this.peek() !== '"') result += this.literal(this.take());
    if (!this.takes('"')) this.fail("expected '\"'");
    return `(?:${result})`;
  }

  private interval(): string {
    const [found, from = '', to = ''] = /^(\d+)-(\d+)>/.exec(this.rest()) ?? this.fail('interval syntax error');
    const [low, high] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))];
    if (high - low > largestInterval) this.fail(`intervals are limited to ${largestInterval} numbers`);
    this.index += found.length;
    const width = from.length === to.length ? from.length : 0;
    const numbers = Array.from({ length: high - low + 1 }, (_, index) => `${low + index}`.padStart(width, '0'));
    return `(?:${numbers.map((number) => (width === 0 ? `0*${number}` : number)).join('|')})`;
  }

  private characterClass(): string {
    const negated = this.takes('^');
    let body = '';
    do {
      body += this.classItem();
    } while (this.peek() !== undefined && this.peek() !== ']');
    if (!this.takes(']')) this.fail("expected ']'");
    return `[${negated ? '^' : ''}${body}]`;
  }

  private classItem(): string {
    const escaped = this.takes('\\');
    const from = this.peek() === undefined ? this.fail("expected ']'") : this.take();
    if (escaped && Object.hasOwn(classes, from)) return classes[from]!;
    if (this.peek() !== '-' || this.characters[this.index + 1] === ']') return this.inClass(from, from);
    this.index += 1;
    this.takes('\\');
    return this.inClass(from, this.peek() === undefined ? this.fail("expected ']'") : this.take());
  }

  private inClass(from: string, to: string): string {
    if (from > to) this.fail('invalid range: from > to');
    if (from !== to) return `${escapeInClass(from)}-${escapeInClass(to)}`;
    return this.caseInsensitive && /[A-Za-z]/.test(from) ? `${from}${otherCase(from)}` : escapeInClass(from);
  }

  private literal(character: string): string {
    if (/[A-Za-z]/.test(character)) return this.caseInsensitive ? `[${character}${otherCase(character)}]` : character;
    return /[0-9\u0080-\u{10ffff}]/u.test(character) ? character : `\\${character}`;
  }

  private peek(): string | undefined {
    return this.characters[this.index];
  }

  private take(): string {
    this.index += 1;
    return this.characters[this.index - 1]!;
  }

  private takes(character: string): boolean {
    if (this.peek() !== character) return false;
    this.index += 1;
    return true;
  }

  private isOperator(character: string): boolean {
    return this.peek() === character && this.operators.has(character);
  }

  private operates(character: string): boolean {
    return this.isOperator(character) && this.takes(character);
  }

  private rest(): string {
    return this.characters.slice(this.index).join('');
  }

  private fail(reason: string): never {
    throw illegalArgument(`${reason} in regular expression [${this.characters.join('')}]`, this.place);
  }
}

const escapeInClass = (character: string) =>
  /[A-Za-z0-9\u0080-\u{10ffff}]/u.test(character) ? character : `\\${character}`;
const otherCase = (letter: string) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase());
