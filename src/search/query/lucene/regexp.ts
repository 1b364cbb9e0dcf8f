import { illegalArgument, type Place, queryShard } from '#search/search-failure.js';
import { maxRegexpCost, regexpCost } from './regexp-cost.js';
import type { ClassItem, Regexp, RegexpNode } from './regexp-node.js';

/**
 * Parses a regular expression of Lucene, which matches a text as a whole. `^` and `$` are plain characters, `"…"` is
 * literal text, `@` any text, `#` no text at all, `<1-99>` a number in a range. `&` between whole expressions requires
 * both, `~` before a whole one negates it.
 * @param operators the active operators among `&~#@<`; the others are plain characters
 * @throws SearchFailure for an invalid expression, an intersection or opposite of a part, or too high a cost
 */
export const parseRegexp = (text: string, place: Place, operators: ReadonlySet<string> = allOperators): Regexp => {
  const regexp = new RegexpParser([...text], place, operators).whole();
  if (regexpCost(regexp) <= maxRegexpCost) return regexp;
  const reason = `Determinizing automaton of [${text}] would require more than ${maxRegexpCost} effort.`;
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

/** Returns the operators that flags such as `INTERVAL|EMPTY` activate. */
export const operatorsOf = (text: string, place: Place): ReadonlySet<string> => {
  const names = text.split('|').filter((name) => name !== '');
  const unknown = names.find((name) => name.toUpperCase() !== 'ALL' && !Object.hasOwn(flags, name.toUpperCase()));
  if (unknown !== undefined) throw illegalArgument(`Unknown regexp flag [${unknown}]`, place);
  if (names.length === 0 || names.some((name) => name.toUpperCase() === 'ALL')) return allOperators;
  return new Set(names.map((name) => flags[name.toUpperCase()]!));
};

const maxRepeat = 255;

const maxInterval = 1000;

class RegexpParser {
  private index = 0;

  constructor(
    private readonly characters: readonly string[],
    private readonly place: Place,
    private readonly operators: ReadonlySet<string>,
  ) {}

  whole(): Regexp {
    const parts: { of: RegexpNode; opposite: boolean }[] = [];
    do {
      const opposite = this.operates('~');
      // An opposite concerns the single atom after it, which must be the last.
      const of = opposite ? this.one() : this.union();
      if (opposite && this.peek() !== undefined && !this.isOperator('&'))
        this.fail('opposites of a part of an expression are not supported');
      parts.push({ of, opposite });
    } while (this.operates('&'));
    if (this.index < this.characters.length) this.fail(`unexpected character at position ${this.index}`);
    return parts;
  }

  private union(): RegexpNode {
    const of = [this.sequence()];
    while (this.takes('|')) of.push(this.sequence());
    return of.length === 1 ? of[0]! : { kind: 'union', of };
  }

  private sequence(): RegexpNode {
    const of: RegexpNode[] = [];
    for (
      let next = this.peek();
      next !== undefined && next !== '|' && next !== ')' && !this.isOperator('&');
      next = this.peek()
    ) {
      of.push(this.repeated());
    }
    return { kind: 'sequence', of };
  }

  private repeated(): RegexpNode {
    let of = this.atom();
    for (;;) {
      if (this.takes('?')) of = { kind: 'repeat', of, min: 0, max: 1 };
      else if (this.takes('*')) of = { kind: 'repeat', of, min: 0 };
      else if (this.takes('+')) of = { kind: 'repeat', of, min: 1 };
      else if (this.peek() === '{') of = { kind: 'repeat', of, ...this.bounds() };
      else return of;
    }
  }

  private bounds(): { min: number; max?: number } {
    const [bounds, from, comma = '', to = ''] =
      /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.rest()) ?? this.fail('integer expected');
    if (Number(from) > maxRepeat || Number(to) > maxRepeat) this.fail(`repeats are limited to ${maxRepeat}`);
    if (to !== '' && Number(to) < Number(from)) this.fail('invalid repetition range(s)');
    this.index += [...bounds].length;
    const max = comma === '' ? from : to;
    return { min: Number(from), ...(max !== '' && { max: Number(max) }) };
  }

  private atom(): RegexpNode {
    const character = this.take();
    if (allOperators.has(character) && !this.operators.has(character)) return { kind: 'character', character };
    switch (character) {
      case '(':
        return this.group();
      case '[':
        return this.characterClass();
      case '.':
        return { kind: 'any' };
      case '@':
        return { kind: 'anything' };
      case '#':
        return { kind: 'nothing' };
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
        return { kind: 'character', character };
    }
  }

  /** Parses one atom, which must exist. */
  private one(): RegexpNode {
    return this.peek() === undefined ? this.fail('end of expression') : this.atom();
  }

  private group(): RegexpNode {
    if (this.takes(')')) return { kind: 'group', of: { kind: 'sequence', of: [] } };
    const of = this.union();
    if (this.isOperator('&')) this.fail('intersections inside groups are not supported');
    if (!this.takes(')')) this.fail("expected ')'");
    return { kind: 'group', of };
  }

  private escaped(): RegexpNode {
    const character = this.peek() === undefined ? this.fail('escape sequence at the end') : this.take();
    const letter = character.toLowerCase();
    if (!isClass(letter)) return { kind: 'character', character };
    return { kind: 'class', negated: character !== letter, items: [{ class: letter }] };
  }

  private quoted(): RegexpNode {
    const of: RegexpNode[] = [];
    while (this.peek() !== undefined && this.peek() !== '"') of.push({ kind: 'character', character: this.take() });
    if (!this.takes('"')) this.fail("expected '\"'");
    return { kind: 'group', of: { kind: 'sequence', of } };
  }

  private interval(): RegexpNode {
    const [found, from = '', to = ''] = /^(\d+)-(\d+)>/.exec(this.rest()) ?? this.fail('interval syntax error');
    const [low, high] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))];
    if (high - low > maxInterval) this.fail(`intervals are limited to ${maxInterval} numbers`);
    this.index += found.length;
    return { kind: 'interval', from: low, to: high, width: from.length === to.length ? from.length : 0 };
  }

  private characterClass(): RegexpNode {
    const negated = this.takes('^');
    const items: ClassItem[] = [];
    do {
      items.push(this.classItem());
    } while (this.peek() !== undefined && this.peek() !== ']');
    if (!this.takes(']')) this.fail("expected ']'");
    return { kind: 'class', negated, items };
  }

  private classItem(): ClassItem {
    const escaped = this.takes('\\');
    const from = this.peek() === undefined ? this.fail("expected ']'") : this.take();
    if (escaped && isClass(from)) return { class: from };
    if (this.peek() !== '-' || this.characters[this.index + 1] === ']') return { from, to: from };
    this.index += 1;
    this.takes('\\');
    const to = this.peek() === undefined ? this.fail("expected ']'") : this.take();
    if (from > to) this.fail('invalid range: from > to');
    return { from, to };
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

const isClass = (letter: string): letter is 'd' | 'w' | 's' => letter === 'd' || letter === 'w' || letter === 's';
