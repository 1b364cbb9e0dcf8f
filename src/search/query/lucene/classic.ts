import { ClauseCount, maxNesting, nestsTooDeep } from './clause-count.js';
import type { Expression, LuceneLeaf, Occur, WrittenClause, WrittenEnd } from './expression.js';
import { TokenReader, unescape } from './token-reader.js';
import { wildcardParts } from './wildcard.js';

export interface ClassicOptions {
  /** Whether clauses without an operator between them must all match. */
  readonly and: boolean;
  /** Whether `>10` and similar terms without a field are ranges. With a list of fields they are words. */
  readonly compares: boolean;
}

/**
 * Parses Lucene's classic syntax. It has no precedence: `a OR b AND c` means `+b +c a`, as in Lucene. Adjacent words
 * form one text, because our texts are keywords.
 * @throws LuceneSyntaxError
 */
export const parseClassic = (text: string, options: ClassicOptions): Expression =>
  new ClassicParser(text, options).whole();

/** Tokens after a word that begins another clause or has a modifier. Such a word is not part of a longer text. */
const separate = new Set([':', '~', '^']);

class ClassicParser extends TokenReader {
  private depth = 0;
  private readonly clauses = new ClauseCount();

  constructor(
    text: string,
    private readonly options: ClassicOptions,
  ) {
    super(text);
  }

  private get and(): boolean {
    return this.options.and;
  }

  whole(): Expression {
    if (this.text.trim() === '') return { kind: 'bool', clauses: [] };
    const expression = this.query(undefined);
    if (this.peek() !== undefined) this.fail();
    return expression;
  }

  private query(field: string | undefined): Expression {
    const clauses: { occur: Occur; expression: Expression }[] = [];
    let isPlain = true;
    for (let next = this.peek(); next !== undefined && next !== ')'; next = this.peek()) {
      const words = this.adjacent();
      if (words !== undefined) {
        clauses.push({ occur: this.and ? 'must' : 'should', expression: this.words(field, words) });
        continue;
      }
      const conjunction = this.conjunction();
      if (conjunction !== undefined && clauses.length === 0) this.fail();
      const modifier = this.modifier();
      isPlain &&= modifier === undefined;
      const expression = this.clause(field);
      const previous = clauses.at(-1);
      if (previous !== undefined && previous.occur !== 'mustNot') {
        if (conjunction === 'and') previous.occur = 'must';
        if (conjunction === 'or' && this.and) previous.occur = 'should';
      }
      clauses.push({ occur: this.occurOf(conjunction, modifier), expression });
    }
    if (clauses.length === 0) this.fail();
    // A single clause is returned without a `bool`, unless it has a `+`: it then does not count as an optional clause.
    return clauses.length === 1 && isPlain
      ? clauses[0]!.expression
      : { kind: 'bool', clauses: clauses satisfies WrittenClause[] };
  }

  /** Reads two or more adjacent plain words. Returns undefined, and reads nothing, if there are none. */
  private adjacent(): string | undefined {
    const start = this.index;
    const words: string[] = [];
    for (;;) {
      this.skip();
      const before = this.index;
      const word = this.word();
      if (word === undefined || word.pattern || (words.length > 0 && this.isSeparate())) {
        this.index = before;
        break;
      }
      words.push(word.text);
    }
    if (words.length > 1) return words.join(' ');
    this.index = start;
    return undefined;
  }

  /** Whether the word just read begins another clause or has a modifier. */
  private isSeparate(): boolean {
    const before = this.index;
    const found = separate.has(this.peek() ?? '') || this.conjunction() !== undefined || this.word()?.raw === '*';
    this.index = before;
    return found;
  }

  private occurOf(conjunction: 'and' | 'or' | undefined, modifier: 'not' | 'required' | undefined): Occur {
    if (modifier === 'not') return 'mustNot';
    if (this.and) return conjunction === 'or' ? 'should' : 'must';
    return modifier === 'required' || conjunction === 'and' ? 'must' : 'should';
  }

  private conjunction(): 'and' | 'or' | undefined {
    if (this.takesWord('&&') || this.takesWord('AND')) return 'and';
    return this.takesWord('||') || this.takesWord('OR') ? 'or' : undefined;
  }

  private modifier(): 'not' | 'required' | undefined {
    if (this.isBareOperator()) return undefined;
    if (this.takes('+')) return 'required';
    return this.takes('-') || this.takes('!') || this.takesWord('NOT') ? 'not' : undefined;
  }

  private clause(around: string | undefined): Expression {
    this.skip();
    const start = this.index;
    const field = this.fieldName();
    if (field === undefined) this.index = start;
    const named = field ?? around;
    this.clauses.add();
    if (!this.takes('(')) return this.leaf(named);
    this.depth += 1;
    if (this.depth > maxNesting) throw nestsTooDeep(this.text);
    const inner = this.query(named);
    this.depth -= 1;
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
    return word !== undefined && !word.pattern && this.takes(':') ? word.text : undefined;
  }

  private leaf(field: string | undefined): Expression {
    const expression = this.leafOf(field);
    this.fuzziness();
    this.boost();
    this.fuzziness();
    return expression;
  }

  private leafOf(field: string | undefined): Expression {
    const next = this.peek();
    if (next === '"') return this.named(field, { kind: 'term', text: this.quoted('"') });
    if (next === '/') return this.named(field, { kind: 'regexp', text: this.quoted('/') });
    if (next === '[' || next === '{') return this.named(field, this.range());
    if (this.isBareOperator()) return this.words(field, this.take()!);
    const word = this.word() ?? this.fail();
    if (word.raw === '*' && field === '*') return { kind: 'all' };
    if (word.raw === '*')
      return field === undefined ? { kind: 'leaf', leaf: { kind: 'any' } } : { kind: 'exists', field };
    if (field === '_exists_' && !word.pattern) return { kind: 'exists', field: word.text };
    if (!word.pattern) return this.words(field, word.text);
    const parts = wildcardParts(word.raw);
    const [first, star] = parts;
    if (parts.length === 2 && star === '*' && typeof first === 'object')
      return this.named(field, { kind: 'prefix', text: first.text });
    return this.named(field, { kind: 'wildcard', parts });
  }

  private words(field: string | undefined, text: string): Expression {
    const compared = field !== undefined || this.options.compares ? comparison(text) : undefined;
    return this.named(field, compared ?? { kind: 'term', text, bare: true });
  }

  private named(field: string | undefined, leaf: LuceneLeaf): Expression {
    if (field === '_exists_' && leaf.kind === 'term') return { kind: 'exists', field: leaf.text };
    return { kind: 'leaf', leaf, ...(field !== undefined && { field }) };
  }

  private range(): LuceneLeaf {
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

  private fuzziness(): void {
    this.takesPattern(/^~\d*\.?\d*/);
  }

  private boost(): void {
    if (this.text[this.index] !== '^' || this.takesPattern(/^\^\d+(?:\.\d+)?/)) return;
    throw this.failure(this.index + 1 < this.text.length);
  }
}

/** Parses `>=10` and similar terms, which Lucene reads as plain terms. */
const comparison = (text: string): LuceneLeaf | undefined => {
  const [, operator, value] = /^(>=|<=|>|<)(.+)$/s.exec(text) ?? [];
  if (operator === undefined || value === undefined) return undefined;
  const end: WrittenEnd = { text: value, inclusive: operator.length === 2 };
  return operator.startsWith('>') ? { kind: 'range', lower: end } : { kind: 'range', upper: end };
};
