import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExpressionFault, parseExpression } from '#expression/expression.js';
import { compileFormula, type Evaluation, type FormulaType, type FormulaValue } from '#expression/formula.js';

const names: Readonly<Record<string, [FormulaType, FormulaValue | undefined]>> = {
  a: ['number', 6],
  b: ['number', 4],
  zero: ['number', 0],
  none: ['number', undefined],
  open: ['boolean', true],
  state: ['text', 'on'],
  'phase 1 `x`': ['number', 7],
  true: ['number', 9],
};
const list = Object.entries(names);
const attributes: Record<string, FormulaValue | undefined> = { offset: 0.5, label: 'x', 'my line': 3 };
const earlier: Record<string, FormulaValue | undefined> = { a: 2, none: undefined, 'my line': 5 };
const places = list.length + Object.keys(attributes).length;
const scope = {
  previous: (name: string) =>
    Object.hasOwn(earlier, name)
      ? { place: places + Object.keys(earlier).indexOf(name), type: 'number' as const }
      : undefined,
  elapsed: () => places + Object.keys(earlier).length,
  attribute: (name: string) => list.length + Object.keys(attributes).indexOf(name),
  variable: (name: string) => {
    const place = list.findIndex(([known]) => known === name);
    return place < 0 ? undefined : { place, type: list[place]![1][0] };
  },
};

const evaluate = (source: string, type: FormulaType = 'number'): unknown => {
  const values = [...list.map(([, [, value]]) => value), ...Object.values(attributes), ...Object.values(earlier), 60];
  const evaluation: Evaluation = { values };
  const value = compileFormula(source, type, scope).evaluate(evaluation);
  return value === undefined ? [evaluation.code, evaluation.input].filter((each) => each !== undefined) : value;
};

const refusalOf = (source: string, type: FormulaType = 'number'): Partial<ExpressionFault> => {
  try {
    compileFormula(source, type, scope);
  } catch (error) {
    if (error instanceof ExpressionFault) return error;
    throw error;
  }
  return { message: 'none' };
};

const faultOf = (source: string, type?: FormulaType) => refusalOf(source, type).message;

describe('formula', () => {
  it.each<[string, unknown]>([
    ['(a + b) * 1.8 + 32', 50],
    ['-a + +b', -2],
    ['a - b - 1', 1],
    ['a / b', 1.5],
    ['a % b', 2],
    ['a > b && !(a == b) || false', true],
    ['a >= 6 ? "yes" : \'no\'', 'yes'],
    ['state == "on" ? 1 : 0', 1],
    ['open', true],
    ['`phase 1 ``x``` + `true`', 16],
    ['max(a, b, 10) + Math.min(a, b)', 14],
    ['round(a / b) + pow(2, 3) + sqrt(b)', 12],
    ['round(Math.PI * 100) / 100', 3.14],
    ['1.5e3 + .5', 1500.5],
    ['has(a) && !has(none)', true],
    ['has(none) ? none : b', 4],
    ['(a - previous(a)) / elapsed() * 3600', 240],
    ['previous(`my line`)', 5],
    ['has(previous(none)) ? 1 : 0', 0],
    ['has(elapsed()) && has(previous(a))', true],
    ['open || none > 1', true],
    ['a + device.offset', 6.5],
    ['device.offset', 0.5],
    ['device.label', 'x'],
    ['device.label == "x" && device.`my line` == 3', true],
    ['device.label == device.offset', false],
    ['has(device.offset) ? device.offset : a', 0.5],
    ['open ? device.offset : device.`my line`', 0.5],
  ])('computes %s', (source, value) => {
    expect(evaluate(source, typeof value === 'string' ? 'text' : (typeof value as 'number'))).toEqual(value);
  });

  it.each<[string, string[]]>([
    ['a / zero', ['DIVISION_BY_ZERO']],
    ['a % (b - 4)', ['DIVISION_BY_ZERO']],
    ['a + none', ['MISSING', 'none']],
    ['a - previous(none)', ['MISSING', 'previous(none)']],
    ['none > 1 ? a : b', ['MISSING', 'none']],
    ['1e308 * 10', ['OVERFLOW']],
    ['exp(1000)', ['OVERFLOW']],
    ['sqrt(-a)', ['NOT_A_NUMBER']],
    ['a + device.label', ['WRONG_TYPE', 'device.label']],
    ['device.label', ['WRONG_TYPE', 'device.label']],
    ['device.offset ? a : b', ['WRONG_TYPE', 'device.offset']],
  ])('says why %s has no value', (source, why) => {
    expect(evaluate(source)).toEqual(why);
  });

  it.each<[string, RegExp]>([
    ['', /empty/],
    ['a +', /at its end/],
    ['a b', /at `b`/],
    ['(a', /at its end/],
    ['a ? b', /at its end/],
    ['`a', /not an expression/],
    ['"a', /not an expression/],
    ['c', /unknown name: `c`/],
    ['a.b', /unknown name: `a.b`/],
    ['constructor', /unknown name/],
    ['device', /unknown name: `device`/],
    ['`device`.offset', /unknown name/],
    ['device.offset.x', /unknown name/],
    ['constructor(a)', /unknown function/],
    ['Math.constructor(a)', /unknown function/],
    ['foo(a)', /unknown function: `foo`/],
    ['pow(a)', /1 arguments; it takes 2/],
    ['has(a + b)', /one name/],
    ['has(c)', /unknown name/],
    ['previous(b)', /not a measured variable: `b`/],
    ['previous(previous(a))', /the name of one measured variable/],
    ['previous(device.offset)', /the name of one measured variable/],
    ['previous(a + a)', /the name of one measured variable/],
    ['previous()', /the name of one measured variable/],
    ['previous(a, a)', /the name of one measured variable/],
    ['previous', /unknown name/],
    ['elapsed(a)', /takes none/],
    ['Math.previous(a)', /unknown function/],
    ['has(abs(a))', /something else than one name/],
    ['a + open', /gives `\+` a boolean; it takes a number/],
    ['a == state', /gives `==` a text; it takes a number/],
    ['!a', /gives `!` a number/],
    ['a ? a : b', /gives `\?` a number/],
    ['open ? a : state', /gives `:` a text/],
    ['a && open', /gives `&&` a number/],
    ['1e999', /too large/],
    [`${'('.repeat(65)}a${')'.repeat(65)}`, /levels deep/],
    ['-'.repeat(400) + 'a', /levels deep/],
    ['a'.repeat(1001), /at most 1000 characters/],
    ['('.repeat(1_000_000), /at most 1000 characters/],
  ])('refuses %.40s', (source, fault) => {
    expect(faultOf(source)).toMatch(fault);
  });

  it('gives a finite value or a reason for any expression of numbers, and never throws', () => {
    const number = fc.oneof(
      fc.constantFrom('a', 'b', 'zero', 'none'),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map((value) => `${value}`.replace('e+', 'e')),
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        number,
        fc
          .tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/', '%'), tie('tree'))
          .map(([one, operator, other]) => `(${one} ${operator} ${other})`),
        tie('tree').map((one) => `sqrt(${one})`),
        fc
          .tuple(tie('tree'), tie('tree'), tie('tree'))
          .map(([one, two, three]) => `(${one} < ${two} ? ${two} : ${three})`),
      ),
    }));
    fc.assert(
      fc.property(tree, (source) => {
        fc.pre(source.length <= 1000);
        const found = evaluate(source);
        expect(typeof found === 'number' ? Number.isFinite(found) : Array.isArray(found) && found.length > 0).toBe(
          true,
        );
      }),
    );
  });

  it('parses any text within its limits, or says why not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1000 }), (source) => {
        try {
          parseExpression(source);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionFault);
        }
      }),
    );
  });

  it.each([
    ['a + nothing', 4],
    ['  a + open', 4],
    ['a * (b -', 8],
    ['a + b ? 1 : 2', 6],
    ['sqrt(a, b)', 0],
    ['b + sqrt(`phase 1 ``x```, "text")', 4],
    ['-open', 0],
    ['a ) b', 2],
    ['', 0],
    ['state', undefined],
  ])('says where %j is at fault', (source, at) => {
    expect(refusalOf(source).at).toBe(at);
  });
});
