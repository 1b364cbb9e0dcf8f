import { ErrorWithoutStack } from '#common/error-without-stack.js';

/** A parsed expression. */
export type Expression =
  | { kind: 'constant'; value: number | boolean | string }
  /** A name (`a`), or names joined by dots (`params.a`). One that was quoted is no keyword. */
  | { kind: 'name'; path: readonly string[]; isQuoted: boolean }
  | { kind: 'call'; path: readonly string[]; parts: readonly Expression[] }
  | { kind: 'unary'; operator: '-' | '!'; of: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'choice'; test: Expression; yes: Expression; no: Expression };

/** The reason why a text is not an expression, as the end of a sentence. */
export class ExpressionFault extends ErrorWithoutStack {}

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
}

const pattern =
  /\s*(?:(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[dfLDF]?|\.\d+)|(?<name>[A-Za-z_]\w*)|`(?<quoted>(?:[^`]|``)+)`|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<symbol>==|!=|<=|>=|&&|\|\||\S))/gy;

const tokensOf = (source: string): Token[] =>
  [...source.matchAll(pattern)].map(({ groups = {} }) => {
    const { number, name, quoted, single, double, symbol = '' } = groups;
    if (number !== undefined) return { kind: 'number', text: number };
    if (name !== undefined) return { kind: 'name', text: name };
    if (quoted !== undefined) return { kind: 'quoted', text: quoted.replaceAll('``', '`') };
    const text = single ?? double;
    return text === undefined ? { kind: 'symbol', text: symbol } : { kind: 'text', text };
  });

class ExpressionParser {
  private readonly tokens: readonly Token[];
  private index = 0;
  private depth = 0;

  constructor(source: string) {
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
    if (!this.takes('?')) return test;
    const yes = this.conditional();
    this.require(':');
    return { kind: 'choice', test, yes, no: this.conditional() };
  }

  private binary(level: number): Expression {
    const symbols = operators[level];
    if (symbols === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (let operator = this.symbol(); operator !== undefined && symbols.includes(operator); operator = this.symbol()) {
      this.index += 1;
      left = { kind: 'binary', operator, left, right: this.binary(level + 1) };
    }
    return left;
  }

  private unary(): Expression {
    return this.deeper(() => this.signed());
  }

  private signed(): Expression {
    for (const operator of ['-', '!'] as const)
      if (this.takes(operator)) return { kind: 'unary', operator, of: this.unary() };
    this.takes('+');
    return this.atom();
  }

  private atom(): Expression {
    if (this.takes('(')) {
      const inner = this.conditional();
      this.require(')');
      return inner;
    }
    const { kind, text } = this.take();
    if (kind === 'number') return { kind: 'constant', value: Number(text.replace(/[dfL]$/i, '')) };
    if (kind === 'text') return { kind: 'constant', value: text };
    if (kind === 'name' && (text === 'true' || text === 'false')) return { kind: 'constant', value: text === 'true' };
    return kind === 'symbol' ? this.fail() : this.named(text, kind === 'quoted');
  }

  private named(first: string, isQuoted: boolean): Expression {
    const path = [first];
    while (this.takes('.')) {
      const { kind, text } = this.take();
      if (kind !== 'name' && kind !== 'quoted') this.fail();
      path.push(text);
    }
    if (!this.takes('(')) return { kind: 'name', path, isQuoted };
    const parts: Expression[] = [];
    while (!this.takes(')')) {
      parts.push(this.conditional());
      if (this.symbol() !== ')') this.require(',');
    }
    return { kind: 'call', path, parts };
  }

  private deeper(read: () => Expression): Expression {
    this.depth += 1;
    if (this.depth > 2 * maxNesting) throw new ExpressionFault(`is nested more than ${maxNesting} levels deep`);
    const found = read();
    this.depth -= 1;
    return found;
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
    throw new ExpressionFault(token === undefined ? 'must not be empty' : `is not an expression: it fails ${place}`);
  }
}
