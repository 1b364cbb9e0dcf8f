import { wildcardParts } from '../pattern.js';
import type { Expression, Leaf, Occur, WrittenClause, WrittenEnd } from './expression.js';
import { LuceneSyntaxError } from './syntax-error.js';

/**
 * Parses Lucene's classic syntax: `a OR b AND c` is no precedence but `+b +c a`, as there.
 * @param and whether clauses without an operator between them must all match.
 * @throws LuceneSyntaxError
 */
export const parseClassic = (text: string, and: boolean): Expression => new ClassicParser(text, and).whole();

/** Characters that end a term unless a backslash stands before them. */
const ending = /[\s!():^[\]"{}~\\/]/;
const starting = /[\s+\-!():^[\]"{}~\\/]/;

interface Word {
  readonly text: string;
  /** With escapes still in it, for patterns. */
  readonly raw: string;
  readonly pattern: boolean;
}

class ClassicParser {
  private index = 0;

  constructor(
    private readonly text: string,
    private readonly and: boolean,
  ) {}

  whole(): Expression {
    if (this.text.trim() === '') return { kind: 'bool', clauses: [] };
    const expression = this.query(undefined);
    if (this.peek() !== undefined) this.fail();
    return expression;
  }

  private query(field: string | undefined): Expression {
    const clauses: { occur: Occur; expression: Expression }[] = [];
    for (let next = this.peek(); next !== undefined && next !== ')'; next = this.peek()) {
      const conjunction = this.conjunction();
      const modifier = this.modifier();
      const expression = this.clause(field);
      const previous = clauses.at(-1);
      if (previous !== undefined && previous.occur !== 'mustNot') {
        if (conjunction === 'and') previous.occur = 'must';
        if (conjunction === 'or' && this.and) previous.occur = 'should';
      }
      clauses.push({ occur: this.occurOf(conjunction, modifier), expression });
    }
    if (clauses.length === 0) this.fail();
    const [only] = clauses;
    return clauses.length === 1 && only!.occur !== 'mustNot'
      ? only!.expression
      : { kind: 'bool', clauses: clauses satisfies WrittenClause[] };
  }

  private occurOf(conjunction: 'and' | 'or' | undefined, modifier: 'not' | 'required' | undefined): Occur {
    if (modifier === 'not') return 'mustNot';
    if (this.and) return conjunction === 'or' && modifier !== 'required' ? 'should' : 'must';
    return modifier === 'required' || conjunction === 'and' ? 'must' : 'should';
  }

  private conjunction(): 'and' | 'or' | undefined {
    if (this.takes('&&') || this.takesWord('AND')) return 'and';
    return this.takes('||') || this.takesWord('OR') ? 'or' : undefined;
  }

  private modifier(): 'not' | 'required' | undefined {
    if (this.takes('+')) return 'required';
    return this.takes('-') || this.takes('!') || this.takesWord('NOT') ? 'not' : undefined;
  }

  private clause(around: string | undefined): Expression {
    this.skip();
    const start = this.index;
    const field = this.fieldName();
    if (field === undefined) this.index = start;
    const named = field ?? around;
    if (!this.takes('(')) return this.leaf(named);
    const inner = this.query(named);
    if (!this.takes(')')) this.fail();
    this.boost();
    return inner;
  }

  private fieldName(): string | undefined {
    if (this.text.startsWith('*:', this.index)) {
      this.index += 2;
      return '*';
    }
    const word = this.word();
    return word !== undefined && this.takes(':') ? word.text : undefined;
  }

  private leaf(field: string | undefined): Expression {
    const expression = this.leafOf(field);
    this.fuzziness();
    this.boost();
    return expression;
  }

  private leafOf(field: string | undefined): Expression {
    const next = this.peek();
    if (next === '"') return this.named(field, { kind: 'term', text: this.quoted('"') });
    if (next === '/') return this.named(field, { kind: 'regexp', text: this.quoted('/') });
    if (next === '[' || next === '{') return this.named(field, this.range());
    const word = this.word() ?? this.fail();
    if (word.raw === '*' && field === '*') return { kind: 'all' };
    if (word.raw === '*')
      return field === undefined ? { kind: 'leaf', leaf: { kind: 'any' } } : { kind: 'exists', field };
    if (field === '_exists_') return { kind: 'exists', field: word.text };
    if (!word.pattern) return this.named(field, comparison(word.text) ?? { kind: 'term', text: word.text });
    const parts = wildcardParts(word.raw);
    const [first, star] = parts;
    if (parts.length === 2 && star === '*' && typeof first === 'object')
      return this.named(field, { kind: 'prefix', text: first.text });
    return this.named(field, { kind: 'wildcard', parts });
  }

  private named(field: string | undefined, leaf: Leaf): Expression {
    if (field === '_exists_' && leaf.kind === 'term') return { kind: 'exists', field: leaf.text };
    return { kind: 'leaf', leaf, ...(field !== undefined && { field }) };
  }

  private range(): Leaf {
    const lowerInclusive = this.take() === '[';
    const lower = this.rangeEnd();
    if (!this.takesWord('TO')) this.fail(true);
    const upper = this.rangeEnd();
    const closing = this.peek();
    if (closing !== ']' && closing !== '}') this.fail(true);
    this.index += 1;
    return {
      kind: 'range',
      ...(lower !== undefined && { lower: { text: lower, inclusive: lowerInclusive } }),
      ...(upper !== undefined && { upper: { text: upper, inclusive: closing === ']' } }),
    };
  }

  private rangeEnd(): string | undefined {
    if (this.peek() === '"') return this.quoted('"');
    const [found] = /^(?:\\.|[^\s\]}])+/s.exec(this.text.slice(this.index)) ?? this.fail();
    this.index += found.length;
    return found === '*' ? undefined : unescape(found);
  }

  private quoted(quote: '"' | '/'): string {
    const body = quote === '"' ? /^"((?:[^"\\]|\\.)*)"/s : /^\/((?:[^/\\]|\\.)*)\//s;
    const match = body.exec(this.text.slice(this.index)) ?? this.fail();
    this.index += match[0].length;
    return quote === '"' ? unescape(match[1]!) : match[1]!.replaceAll('\\/', '/');
  }

  private word(): Word | undefined {
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
      if (/^(?:&&|\|\|)/.test(this.text.slice(this.index, this.index + 2)) && raw === '') break;
      pattern ||= character === '*' || character === '?';
      raw += character;
      this.index += 1;
    }
    return raw === '' ? undefined : { raw, text: unescape(raw), pattern };
  }

  private fuzziness(): void {
    this.takesPattern(/^~\d*\.?\d*/);
  }

  private boost(): void {
    if (this.text[this.index] !== '^' || this.takesPattern(/^\^\d+(?:\.\d+)?/)) return;
    throw this.failure(this.index + 1 < this.text.length);
  }

  private takesPattern(pattern: RegExp): boolean {
    const [found] = pattern.exec(this.text.slice(this.index)) ?? [];
    this.index += found?.length ?? 0;
    return found !== undefined;
  }

  private takes(token: string): boolean {
    this.skip();
    if (!this.text.startsWith(token, this.index)) return false;
    this.index += token.length;
    return true;
  }

  private takesWord(word: string): boolean {
    this.skip();
    const after = this.text[this.index + word.length];
    if (!this.text.startsWith(word, this.index) || (after !== undefined && !/[\s()[\]{}"]/.test(after))) return false;
    this.index += word.length;
    return true;
  }

  private peek(): string | undefined {
    this.skip();
    return this.text[this.index];
  }

  private take(): string | undefined {
    const next = this.peek();
    this.index += 1;
    return next;
  }

  private skip(): void {
    while (/\s/.test(this.text[this.index] ?? '')) this.index += 1;
  }

  private fail(inRange = false): never {
    throw this.failure(!inRange && /["/\\\]}]/.test(this.text[this.index] ?? ''));
  }

  private failure(lexical: boolean): LuceneSyntaxError {
    const found = this.text[this.index] ?? '<EOF>';
    return new LuceneSyntaxError(
      `Cannot parse '${this.text}': Encountered "${found}" at line 1, column ${this.index}.`,
      lexical,
    );
  }
}

const unescape = (text: string): string => {
  if (/^(?:[^\\]|\\[^u])*\\u(?![0-9a-fA-F]{4})/s.test(text))
    throw new LuceneSyntaxError(`Cannot parse '${text}': Truncated unicode escape sequence.`);
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, plain: string) =>
    code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
  );
};

/** `>=10` and its like, which Lucene reads as plain terms. */
const comparison = (text: string): Leaf | undefined => {
  const [, operator, value] = /^(>=|<=|>|<)(.+)$/s.exec(text) ?? [];
  if (operator === undefined || value === undefined) return undefined;
  const end: WrittenEnd = { text: value, inclusive: operator.length === 2 };
  return operator.startsWith('>') ? { kind: 'range', lower: end } : { kind: 'range', upper: end };
};
