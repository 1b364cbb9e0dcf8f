import { type FaultPosition, illegalArgument } from '#search/search-failure.js';

type Value = number | boolean;
type Variables = Readonly<Record<string, number>>;
type Evaluate = (variables: Variables) => Value;

const constants: Readonly<Record<string, number>> = { PI: Math.PI, E: Math.E };
const functions: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  round: Math.round,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  log: Math.log,
  log10: Math.log10,
  pow: Math.pow,
  min: Math.min,
  max: Math.max,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  atan: Math.atan,
  atan2: Math.atan2,
  asin: Math.asin,
  acos: Math.acos,
  signum: Math.sign,
  hypot: Math.hypot,
};

/** Binary operators by precedence, the lowest first. */
const operators: readonly Readonly<Record<string, (a: Value, b: Value) => Value>>[] = [
  { '||': (a, b) => Boolean(a) || Boolean(b) },
  { '&&': (a, b) => Boolean(a) && Boolean(b) },
  { '==': (a, b) => a === b, '!=': (a, b) => a !== b },
  { '<=': (a, b) => a <= b, '>=': (a, b) => a >= b, '<': (a, b) => a < b, '>': (a, b) => a > b },
  { '+': (a, b) => Number(a) + Number(b), '-': (a, b) => Number(a) - Number(b) },
  { '*': (a, b) => Number(a) * Number(b), '/': (a, b) => Number(a) / Number(b), '%': (a, b) => Number(a) % Number(b) },
];

/**
 * Compiles an expression over the variables of a bucket: `params.x`, numbers, `+ - * / %`, comparisons, `&& || !`, `a ?
 * b : c` and `Math.*`. It supports no other part of the engines' languages, so no text of a caller ever runs as code.
 */
export const compileScript = (source: string, place: FaultPosition): Evaluate =>
  new ScriptParser(source, place).whole();

/** Maximum nesting of an expression: each level takes several calls of its parser. */
const maxNesting = 64;

class ScriptParser {
  private readonly tokens: string[];
  private index = 0;
  private depth = 0;

  constructor(
    private readonly source: string,
    private readonly place: FaultPosition,
  ) {
    this.tokens =
      source.match(/\d+\.?\d*(?:[eE][+-]?\d+)?[dfLDF]?|\.\d+|[A-Za-z_]\w*|==|!=|<=|>=|&&|\|\||[^\s]/g) ?? [];
  }

  whole(): Evaluate {
    if (this.tokens[0] === 'return') this.index = 1;
    const expression = this.conditional();
    if (this.tokens[this.index] === ';') this.index += 1;
    if (this.index < this.tokens.length) this.fail();
    return expression;
  }

  private conditional(): Evaluate {
    return this.deeper(() => this.choice());
  }

  private choice(): Evaluate {
    const test = this.binary(0);
    if (!this.takes('?')) return test;
    const yes = this.conditional();
    if (!this.takes(':')) this.fail();
    const no = this.conditional();
    return (variables) => (test(variables) ? yes(variables) : no(variables));
  }

  private binary(level: number): Evaluate {
    const symbols = operators[level];
    if (symbols === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (let token = this.peek(); token !== undefined && Object.hasOwn(symbols, token); token = this.peek()) {
      this.index += 1;
      const [apply, before, after] = [symbols[token]!, left, this.binary(level + 1)];
      left = (variables) => apply(before(variables), after(variables));
    }
    return left;
  }

  private unary(): Evaluate {
    return this.deeper(() => this.signed());
  }

  private signed(): Evaluate {
    if (this.takes('-')) {
      const inner = this.unary();
      return (variables) => -Number(inner(variables));
    }
    if (this.takes('!')) {
      const inner = this.unary();
      return (variables) => !inner(variables);
    }
    this.takes('+');
    return this.atom();
  }

  private atom(): Evaluate {
    const token = this.take();
    if (token === '(') {
      const inner = this.conditional();
      if (!this.takes(')')) this.fail();
      return inner;
    }
    if (/^[\d.]/.test(token)) {
      const value = Number(token.replace(/[dfL]$/i, ''));
      return () => value;
    }
    if (token === 'true' || token === 'false') return () => token === 'true';
    if (token === 'params') return this.variable();
    if (token === 'Math') return this.math();
    return /^[A-Za-z_]/.test(token) ? (variables) => this.valueOf(variables, token) : this.fail();
  }

  private variable(): Evaluate {
    if (!this.takes('.')) this.fail();
    const name = this.take();
    return (variables) => this.valueOf(variables, name);
  }

  private valueOf(variables: Variables, name: string): number {
    return Object.hasOwn(variables, name) ? variables[name]! : this.fail();
  }

  private math(): Evaluate {
    if (!this.takes('.')) this.fail();
    const name = this.take();
    if (Object.hasOwn(constants, name)) return () => constants[name]!;
    const apply = Object.hasOwn(functions, name) ? functions[name]! : this.fail();
    if (!this.takes('(')) this.fail();
    const values: Evaluate[] = [];
    while (!this.takes(')')) {
      values.push(this.conditional());
      if (this.peek() !== ')' && !this.takes(',')) this.fail();
    }
    return (variables) => apply(...values.map((value) => Number(value(variables))));
  }

  private deeper(read: () => Evaluate): Evaluate {
    this.depth += 1;
    if (this.depth > 2 * maxNesting) this.fail();
    const found = read();
    this.depth -= 1;
    return found;
  }

  private peek(): string | undefined {
    return this.tokens[this.index];
  }

  private take(): string {
    const token = this.tokens[this.index] ?? this.fail();
    this.index += 1;
    return token;
  }

  private takes(token: string): boolean {
    if (this.peek() !== token) return false;
    this.index += 1;
    return true;
  }

  private fail(): never {
    throw illegalArgument(
      `[${this.source}] is not a supported expression: use params.x, numbers, + - * / %, comparisons, && || !, a ? b : c and Math functions`,
      this.place,
    );
  }
}
