import { type FaultPosition, illegalArgument, queryShard } from '#search/search-failure.js';
import { maxRegexpCost, regexpCost } from './regexp-cost.js';
import type { ClassItem, ClassLetter, Regexp, RegexpNode } from './regexp-node.js';

/**
 * Parses a regular expression of Lucene, which matches a text as a whole. `^` and `$` are plain characters, `"…"` is
 * literal text, `@` any text, `#` no text at all, `<1-99>` a number in a range. `&` between whole expressions requires
 * both, `~` before a whole one negates it. Operators such as `*` and `|` are plain characters where an atom must begin.
 * @param operators the active operators among `&~#@<`; the others are plain characters
 * @throws SearchFailure for an invalid expression, an intersection or opposite of a part, or too high a cost
 */
export const parseRegexp = (
  text: string,
  place: FaultPosition,
  operators: ReadonlySet<string> = allOperators,
): Regexp => {
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
export const operatorsOf = (text: string, place: FaultPosition): ReadonlySet<string> => {
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
    private readonly place: FaultPosition,
    private readonly operators: ReadonlySet<string>,
  ) {}

  whole(): Regexp {
    if (this.characters.length === 0) return [{ of: { kind: 'sequence', of: [] }, opposite: false }];
    const parts: { of: RegexpNode; opposite: boolean }[] = [];
    do {
      const opposite = this.operates('~');
      // An opposite concerns the single atom after it, which must be the last.
      const of = opposite ? this.atom() : this.union();
      if (opposite && this.peek() !== undefined && !this.isOperator('&'))
        this.fail('opposites of a part of an expression are not supported');
      parts.push({ of, opposite });
    } while (this.operates('&'));
    // `&` binds more tightly than `|`.
    if (parts.length > 1 && parts.some(({ of }) => of.kind === 'union'))
      this.fail('intersections of a part of an expression are not supported');
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
    let next: string | undefined;
    do {
      of.push(this.repeated());
      next = this.peek();
    } while (next !== undefined && next !== '|' && next !== ')' && !this.isOperator('&'));
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
      default:
        return { kind: 'character', character };
    }
  }

  private group(): RegexpNode {
    if (this.takes(')')) return { kind: 'group', of: { kind: 'sequence', of: [] } };
    const of = this.union();
    if (this.isOperator('&')) this.fail('intersections inside groups are not supported');
    if (!this.takes(')')) this.fail("expected ')'");
    return { kind: 'group', of };
  }

  private escaped(): RegexpNode {
    const item = this.escapedItem();
    return 'class' in item
      ? { kind: 'class', negated: false, items: [item] }
      : { kind: 'character', character: item.from };
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
    const item = this.takes('\\') ? this.escapedItem() : this.characterItem();
    if ('class' in item || !this.takes('-')) return item;
    this.takes('\\');
    const { to } = this.characterItem();
    if (item.from.codePointAt(0)! > to.codePointAt(0)!) this.fail('invalid range: from > to');
    return { from: item.from, to };
  }

  /** Parses what follows a backslash: the letter of a class, or a character that is not a letter from A to Z. */
  private escapedItem(): ClassItem {
    const item = this.characterItem();
    if (isClass(item.from)) return { class: item.from };
    return /[A-Za-z]/.test(item.from) ? this.fail(`invalid character class \\${item.from}`) : item;
  }

  private characterItem(): { readonly from: string; readonly to: string } {
    const character = this.take();
    return { from: character, to: character };
  }

  private peek(): string | undefined {
    return this.characters[this.index];
  }

  private take(): string {
    const character = this.peek() ?? this.fail('unexpected end');
    this.index += 1;
    return character;
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

const isClass = (letter: string): letter is ClassLetter => /[dwsDWS]/.test(letter);
