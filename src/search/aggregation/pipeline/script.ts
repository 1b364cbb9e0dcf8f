import { type Expression, ExpressionFault, parseExpression } from '#expression/expression.js';
import { constants, functions } from '#expression/function.js';
import { type FaultPosition, illegalArgument } from '#search/search-failure.js';

type Value = number | boolean;
type Variables = Readonly<Record<string, number>>;
type Evaluate = (variables: Variables) => Value;

/** Binary operators, as the engines' language applies them to numbers and booleans. */
const operators: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  '||': (a, b) => Boolean(a) || Boolean(b),
  '&&': (a, b) => Boolean(a) && Boolean(b),
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '+': (a, b) => Number(a) + Number(b),
  '-': (a, b) => Number(a) - Number(b),
  '*': (a, b) => Number(a) * Number(b),
  '/': (a, b) => Number(a) / Number(b),
  '%': (a, b) => Number(a) % Number(b),
};

/**
 * Compiles an expression over the variables of a bucket: `params.x`, numbers, `+ - * / %`, comparisons, `&& || !`, `a ?
 * b : c` and `Math.*`. It supports no other part of the engines' languages, so no text of a caller ever runs as code.
 */
export const compileScript = (source: string, place: FaultPosition): Evaluate => {
  const fail = (): never => {
    throw illegalArgument(
      `[${source}] is not a supported expression: use params.x, numbers, + - * / %, comparisons, && || !, a ? b : c and Math functions`,
      place,
    );
  };
  const text = source.replace(/^\s*return\b/, '').replace(/;\s*$/, '');
  return compile(parse(text, fail), fail);
};

const parse = (text: string, fail: () => never): Expression => {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionFault) fail();
    throw error;
  }
};

const compile = (expression: Expression, fail: () => never): Evaluate => {
  const inner = (part: Expression) => compile(part, fail);
  switch (expression.kind) {
    case 'constant': {
      const { value } = expression;
      return typeof value === 'string' ? fail() : () => value;
    }
    case 'name':
      return expression.isQuoted ? fail() : compileName(expression.path, fail);
    case 'call': {
      const [space, name = '', ...rest] = expression.path;
      if (space !== 'Math' || rest.length > 0 || !Object.hasOwn(functions, name)) fail();
      const [apply, parts] = [functions[name]!, expression.parts.map(inner)];
      return (variables) => apply(...parts.map((part) => Number(part(variables))));
    }
    case 'unary': {
      const of = inner(expression.of);
      return expression.operator === '-' ? (variables) => -Number(of(variables)) : (variables) => !of(variables);
    }
    case 'binary': {
      const [apply, left, right] = [operators[expression.operator]!, inner(expression.left), inner(expression.right)];
      return (variables) => apply(left(variables), right(variables));
    }
    case 'choice': {
      const [test, yes, no] = [inner(expression.test), inner(expression.yes), inner(expression.no)];
      return (variables) => (test(variables) ? yes(variables) : no(variables));
    }
  }
};

const compileName = (path: readonly string[], fail: () => never): Evaluate => {
  const [first = '', second, ...rest] = path;
  if (rest.length > 0) fail();
  if (first === 'Math') {
    const value = second !== undefined && Object.hasOwn(constants, second) ? constants[second]! : fail();
    return () => value;
  }
  const name = first === 'params' ? second : second === undefined ? first : fail();
  return (variables) => (name !== undefined && Object.hasOwn(variables, name) ? variables[name]! : fail());
};
