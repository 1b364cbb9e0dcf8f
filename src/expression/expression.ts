import { ErrorWithoutStack } from '#common/error-without-stack.js';

/** A parsed expression. `at` is its place in the source, in UTF-16 units; that of an operation is its operator's. */
export type Expression = { at: number } & (
  | { kind: 'constant'; value: number | boolean | string }
  /** A name (`a`), or names joined by dots (`params.a`). One that was quoted is no keyword. */
  | { kind: 'name'; path: readonly string[]; isQuoted: boolean }
  | { kind: 'call'; path: readonly string[]; parts: readonly Expression[] }
  | { kind: 'unary'; operator: '-' | '!'; of: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'choice'; test: Expression; yes: Expression; no: Expression }
);

/** The reason why a text is not an expression, as the end of a sentence. */
export class ExpressionFault extends ErrorWithoutStack {
  constructor(
    message: string,
    /** Place of the fault in the source, in UTF-16 units; absent if it is the whole. */
    public at?: number,
  ) {
    super(message);
  }
}

/** Binary operators by precedence, the lowest first. */
const operators: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Maximum nesting of an expression: each level takes several calls of its parser. */
const maxNesting = 64;

/**
 * Parses an expression: numbers, texts in quotes, `true`, `false`, names, names in backquotes, calls, `+ - * / %`,
 * comparisons, `&& || !` and `a ? b : c`. The caller limits the length of the source.
 * @throws ExpressionFault
 */
export const parseExpression = (source: string): Expression => new ExpressionParser(source).whole();

/** A token with its kind. `text` is that of a name without its backquotes, or of a text without its quotes. */
interface Token {
  kind: 'number' | 'name' | 'quoted' | 'text' | 'symbol';
  text: string;
  /** Place in the source, in UTF-16 units. */
  at: number;
}

const pattern =
  /\s*(?:(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[dfLDF]?|\.\d+)|(?<name>[A-Za-z_]\w*)|`(?<quoted>(?:[^`]|``)+)`|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<symbol>==|!=|<=|>=|&&|\|\||\S))/gy;

const tokensOf = (source: string): Token[] =>
  [...source.matchAll(pattern)].map((match) => {
    const { number, name, quoted, single, double, symbol = '' } = match.groups ?? {};
    const at = match.index + match[0].length - match[0].trimStart().length;
    if (number !== undefined) return { kind: 'number', text: number, at };
    if (name !== undefined) return { kind: 'name', text: name, at };
    if (quoted !== undefined) return { kind: 'quoted', text: quoted.replaceAll('``', '`'), at };
    const text = single ?? double;
    return text === undefined ? { kind: 'symbol', text: symbol, at } : { kind: 'text', text, at };
  });

class ExpressionParser {
  private readonly tokens: readonly Token[];
  private index = 0;
  private depth = 0;

  constructor(private readonly source: string) {
    this.tokens = tokensOf(source);
  }

  whole(): Expression {
    const expression = this.conditional();
    if (this.index < this.tokens.length) this.fail();
    return expression;
  }

  private conditional(): Expression {
    return this.deeper(() => this.choice());
  }

  private choice(): Expression {
    const test = this.binary(0);
    const { at } = this;
    if (!this.takes('?')) return test;
    const yes = this.conditional();
    this.require(':');
    return { kind: 'choice', at, test, yes, no: this.conditional() };
  }

  private binary(level: number): Expression {
    const symbols = operators[level];
    if (symbols === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (let operator = this.symbol(); operator !== undefined && symbols.includes(operator); operator = this.symbol()) {
      const { at } = this;
      this.index += 1;
      left = { kind: 'binary', at, operator, left, right: this.binary(level + 1) };
    }
    return left;
  }

  private unary(): Expression {
    return this.deeper(() => this.signed());
  }

  private signed(): Expression {
    const { at } = this;
    for (const operator of ['-', '!'] as const)
      if (this.takes(operator)) return { kind: 'unary', at, operator, of: this.unary() };
    this.takes('+');
    return this.atom();
  }

  private atom(): Expression {
    if (this.takes('(')) {
      const inner = this.conditional();
      this.require(')');
      return inner;
    }
    const { kind, text, at } = this.take();
    if (kind === 'number') return { kind: 'constant', at, value: Number(text.replace(/[dfL]$/i, '')) };
    if (kind === 'text') return { kind: 'constant', at, value: text };
    if (kind === 'name' && (text === 'true' || text === 'false'))
      return { kind: 'constant', at, value: text === 'true' };
    return kind === 'symbol' ? this.fail() : this.named(text, kind === 'quoted', at);
  }

  private named(first: string, isQuoted: boolean, at: number): Expression {
    const path = [first];
    while (this.takes('.')) {
      const { kind, text } = this.take();
      if (kind !== 'name' && kind !== 'quoted') this.fail();
      path.push(text);
    }
    if (!this.takes('(')) return { kind: 'name', at, path, isQuoted };
    const parts: Expression[] = [];
    while (!this.takes(')')) {
      parts.push(this.conditional());
      if (this.symbol() !== ')') this.require(',');
    }
    return { kind: 'call', at, path, parts };
  }

  private deeper(read: () => Expression): Expression {
    this.depth += 1;
    if (this.depth > 2 * maxNesting)
      throw new ExpressionFault(`is nested more than ${maxNesting} levels deep`, this.at);
    const found = read();
    this.depth -= 1;
    return found;
  }

  /** Place of the next token. */
  private get at(): number {
    return this.tokens[this.index]?.at ?? this.source.length;
  }

  /** Returns the next token if it is a symbol. */
  private symbol(): string | undefined {
    const token = this.tokens[this.index];
    return token?.kind === 'symbol' ? token.text : undefined;
  }

  private take(): Token {
    const token = this.tokens[this.index] ?? this.fail();
    this.index += 1;
    return token;
  }

  private takes(symbol: string): boolean {
    if (this.symbol() !== symbol) return false;
    this.index += 1;
    return true;
  }

  private require(symbol: string): void {
    if (!this.takes(symbol)) this.fail();
  }

  private fail(): never {
    const token = this.tokens[this.index - 1] ?? this.tokens[0];
    const next = this.tokens[this.index];
    const place = next ? `at \`${next.text.slice(0, 30)}\`` : 'at its end';
    throw new ExpressionFault(
      token === undefined ? 'must not be empty' : `is not an expression: it fails ${place}`,
      this.at,
    );
  }
}
