import { type Expression, ExpressionFault, parseExpression } from './expression.js';
import { constants, functions } from './function.js';

/** Type of a value in a formula. */
export type FormulaType = 'number' | 'boolean' | 'text';

/** Type of a part of a formula. That of an attribute is known when the formula runs. */
type PartType = FormulaType | 'any';

export type FormulaValue = number | boolean | string;

/** Reasons why a formula has no value. */
export type AbsentCode = 'MISSING' | 'WRONG_TYPE' | 'DIVISION_BY_ZERO' | 'OVERFLOW' | 'NOT_A_NUMBER';

/** One evaluation: what the formula reads, and, if it has no value, why. */
export interface Evaluation {
  /** Values that names stand for, by their places. */
  readonly values: (FormulaValue | undefined)[];
  code?: AbsentCode | undefined;
  /** The input that is missing, or has another type than the formula takes. */
  input?: string | undefined;
}

/** A name that a formula may use: its type, and the place of its value. */
export interface Resolved {
  type: FormulaType;
  place: number;
}

/** The names that a formula may use. Returns undefined for an unknown one. */
export interface FormulaScope {
  /** Resolves a variable. */
  variable(name: string): Resolved | undefined;
  /** Returns the place of an attribute. */
  attribute(name: string): number | undefined;
  /** Resolves the earlier value of a measured variable. */
  previous(name: string): Resolved | undefined;
  /** Returns the place of the seconds since the record before. */
  elapsed(): number;
}

/** A compiled formula, or a part of one. Evaluating it takes at most as many steps as it has. */
export interface Formula {
  type: PartType;
  /** The name that it stands for. */
  name?: string;
  steps: number;
  evaluate(evaluation: Evaluation): FormulaValue | undefined;
}

/** Maximum length of a formula, in UTF-16 units. */
export const maxFormulaLength = 1000;

/**
 * Compiles a formula for values of a type. Types are checked before it runs, except those of attributes. A part without
 * a value gives none to the whole.
 * @throws ExpressionFault
 */
export const compileFormula = (source: string, type: FormulaType, scope: FormulaScope): Formula => {
  if (source.length > maxFormulaLength) throw new ExpressionFault(`must have at most ${maxFormulaLength} characters`);
  const formula = compile(parseExpression(source), scope);
  if (formula.type !== type && formula.type !== 'any')
    throw new ExpressionFault(`gives a ${formula.type}; the variable takes a ${type}`);
  return required(formula, type, '=');
};

const numeric = (value: number, evaluation: Evaluation): number | undefined => {
  if (Number.isFinite(value)) return value;
  evaluation.code = Number.isNaN(value) ? 'NOT_A_NUMBER' : 'OVERFLOW';
  return undefined;
};

/** Compiles a part. A fault has the place of the innermost part that is at fault. */
const compile = (expression: Expression, scope: FormulaScope): Formula => {
  try {
    return compilePart(expression, scope);
  } catch (error) {
    if (error instanceof ExpressionFault) error.at ??= expression.at;
    throw error;
  }
};

const compilePart = (expression: Expression, scope: FormulaScope): Formula => {
  switch (expression.kind) {
    case 'constant':
      return compileConstant(expression.value);
    case 'name':
      return compileName(expression, scope);
    case 'call':
      return compileCall(expression, scope);
    case 'unary': {
      const { operator } = expression;
      const of = required(compile(expression.of, scope), operator === '-' ? 'number' : 'boolean', operator);
      return over([of], operator === '-' ? 'number' : 'boolean', ([value]) =>
        operator === '-' ? -(value as number) : !value,
      );
    }
    case 'binary':
      return compileBinary(expression, scope);
    case 'choice':
      return compileChoice(expression, scope);
  }
};

const compileConstant = (value: FormulaValue): Formula => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new ExpressionFault('has a number that is too large');
  return { type: typeOf(value), steps: 1, evaluate: () => value };
};

const typeOf = (value: FormulaValue): FormulaType =>
  typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean');

const compileName = ({ path, isQuoted }: Expression & { kind: 'name' }, scope: FormulaScope): Formula => {
  const [first = '', second] = path;
  if (first === 'Math' && second !== undefined && path.length === 2 && Object.hasOwn(constants, second))
    return compileConstant(constants[second]!);
  if (first === 'device' && !isQuoted && second !== undefined && path.length === 2) {
    const place = scope.attribute(second);
    if (place !== undefined) return readOf({ type: 'any', place }, `device.${second}`);
  }
  const found = path.length === 1 ? scope.variable(first) : undefined;
  if (found === undefined) throw new ExpressionFault(`has an unknown name: \`${path.join('.').slice(0, 100)}\``);
  return readOf(found, first);
};

const readOf = ({ type, place }: { type: PartType; place: number }, input: string): Formula => ({
  type,
  name: input,
  steps: 1,
  evaluate(evaluation) {
    const value = evaluation.values[place];
    if (value === undefined) {
      evaluation.code = 'MISSING';
      evaluation.input = input;
    }
    return value;
  },
});

/** Number of arguments of the functions that do not take one. */
const arities: Readonly<Record<string, readonly [from: number, to: number]>> = {
  pow: [2, 2],
  atan2: [2, 2],
  min: [1, 20],
  max: [1, 20],
  hypot: [1, 20],
};

const compileCall = ({ path, parts }: Expression & { kind: 'call' }, scope: FormulaScope): Formula => {
  const name = path.length === 2 && path[0] === 'Math' ? path[1]! : path.join('.');
  if (name === 'has') return compileHas(parts, scope);
  if (isEarlier(path)) return compileEarlier(path[0] === 'elapsed', parts, scope);
  if (!Object.hasOwn(functions, name)) throw new ExpressionFault(`has an unknown function: \`${name.slice(0, 100)}\``);
  const [from, to] = arities[name] ?? [1, 1];
  if (parts.length < from || parts.length > to)
    throw new ExpressionFault(
      `gives \`${name}\` ${parts.length} arguments; it takes ${from === to ? from : `${from} to ${to}`}`,
    );
  const apply = functions[name]!;
  const inner = parts.map((part) => required(compile(part, scope), 'number', name));
  return over(inner, 'number', (values, evaluation) => numeric(apply(...(values as number[])), evaluation));
};

const isEarlier = ([name, ...more]: readonly string[]): boolean =>
  more.length === 0 && (name === 'previous' || name === 'elapsed');

/** Compiles `previous(x)`, the value of a variable before the record, and `elapsed()`, the seconds since the one before. */
const compileEarlier = (isElapsed: boolean, parts: readonly Expression[], scope: FormulaScope): Formula => {
  if (isElapsed) {
    if (parts.length > 0) throw new ExpressionFault('gives `elapsed` an argument; it takes none');
    return readOf({ type: 'number', place: scope.elapsed() }, 'elapsed()');
  }
  const [part] = parts;
  if (parts.length !== 1 || part?.kind !== 'name' || part.path.length !== 1)
    throw new ExpressionFault('gives `previous` something else than the name of one measured variable');
  const variable = part.path[0]!;
  const found = scope.previous(variable);
  if (found === undefined)
    throw new ExpressionFault(
      `gives \`previous\` a name that is not a measured variable: \`${variable.slice(0, 100)}\``,
    );
  return readOf(found, `previous(${variable})`);
};

/** Compiles `has(x)`: whether the input has a value. */
const compileHas = (parts: readonly Expression[], scope: FormulaScope): Formula => {
  const [part] = parts;
  const isInput = part?.kind === 'name' || (part?.kind === 'call' && isEarlier(part.path));
  if (parts.length !== 1 || !isInput) throw new ExpressionFault('gives `has` something else than one name');
  const { evaluate } = compile(part, scope);
  return { type: 'boolean', steps: 2, evaluate: (evaluation) => evaluate(evaluation) !== undefined };
};

/** Operators that take numbers. */
const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
};

const compileBinary = (
  { operator, left: one, right: other }: Expression & { kind: 'binary' },
  scope: FormulaScope,
): Formula => {
  const [left, right] = [compile(one, scope), compile(other, scope)];
  if (operator === '==' || operator === '!=') {
    const sides =
      left.type === 'any' ? [narrow(left, right.type), right] : [left, required(right, left.type, operator)];
    return over(sides, 'boolean', ([a, b]) => (a === b) === (operator === '=='));
  }
  if (operator === '&&' || operator === '||') return compileLogic(operator, left, right);
  const sides = [left, right].map((side) => required(side, 'number', operator));
  const compare = comparisons[operator];
  if (compare) return over(sides, 'boolean', ([a, b]) => compare(a as number, b as number));
  const apply = arithmetic[operator]!;
  const divides = operator === '/' || operator === '%';
  return over(sides, 'number', ([a, b], evaluation) => {
    if (divides && b === 0) {
      evaluation.code = 'DIVISION_BY_ZERO';
      return undefined;
    }
    return numeric(apply(a as number, b as number), evaluation);
  });
};

/** Compiles `&&` and `||`, which read the right side only if the left does not decide. */
const compileLogic = (operator: '&&' | '||', left: Formula, right: Formula): Formula => {
  const [first, second] = [required(left, 'boolean', operator), required(right, 'boolean', operator)];
  return {
    type: 'boolean',
    steps: left.steps + right.steps + 1,
    evaluate(evaluation) {
      const value = first.evaluate(evaluation);
      return value === undefined || value === (operator === '||') ? value : second.evaluate(evaluation);
    },
  };
};

const compileChoice = (expression: Expression & { kind: 'choice' }, scope: FormulaScope): Formula => {
  const test = required(compile(expression.test, scope), 'boolean', '?');
  const [one, other] = [compile(expression.yes, scope), compile(expression.no, scope)];
  const type = one.type === 'any' ? other.type : one.type;
  const [yes, no] = [narrow(one, type), type === 'any' ? other : required(other, type, ':')];
  return {
    type,
    steps: test.steps + yes.steps + no.steps + 1,
    evaluate(evaluation) {
      const value = test.evaluate(evaluation);
      return value === undefined ? undefined : (value ? yes : no).evaluate(evaluation);
    },
  };
};

const required = (formula: Formula, type: FormulaType, by: string): Formula => {
  if (formula.type !== type && formula.type !== 'any')
    throw new ExpressionFault(`gives \`${by}\` a ${formula.type}; it takes a ${type}`);
  return narrow(formula, type);
};

/** Makes a part of any type give values of one type alone. */
const narrow = (formula: Formula, type: PartType): Formula =>
  formula.type !== 'any' || type === 'any'
    ? formula
    : {
        type,
        steps: formula.steps,
        evaluate(evaluation) {
          const value = formula.evaluate(evaluation);
          if (value === undefined || typeOf(value) === type) return value;
          evaluation.code = 'WRONG_TYPE';
          evaluation.input = formula.name;
          return undefined;
        },
      };

/** A formula over the values of others. It has a value only if all of them have one. */
const over = (
  parts: readonly Formula[],
  type: FormulaType,
  apply: (values: FormulaValue[], evaluation: Evaluation) => FormulaValue | undefined,
): Formula => ({
  type,
  steps: parts.reduce((sum, { steps }) => sum + steps, 1),
  evaluate(evaluation) {
    const values: FormulaValue[] = [];
    for (const part of parts) {
      const value = part.evaluate(evaluation);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return apply(values, evaluation);
  },
});
