import type { Fault } from '#common/errors.js';
import { VariableType } from '#entities/enums.js';
import { ExpressionFault } from '#expression/expression.js';
import {
  type AbsentCode,
  compileFormula,
  type Evaluation,
  type Formula,
  type FormulaType,
  type FormulaValue,
} from '#expression/formula.js';
import type { PlainJson } from '#json/json.js';
import { valueOfName } from '#json/key-path.js';
import type { PlainObject } from '../item.js';
import { fittingValue } from '../typed-data.js';
import type { AttributeReader } from './attribute.js';
import type { Past } from './past.js';

/** A variable as a product declares it. */
interface Declared {
  readonly name: string;
  readonly type: VariableType;
}

/** A variable whose values are computed. */
export interface Derived extends Declared {
  readonly formula: string;
}

/** Reason why a derived variable has no value in a record (`metadata.derived.absent`). */
type Absent = {
  variable: string;
  /** `OUT_OF_RANGE`: the result does not fit the type. `FORMULA`: the formula no longer fits the product's variables. */
  code: AbsentCode | 'OUT_OF_RANGE' | 'FORMULA';
  /** The input that is missing or has a wrong type. */
  input?: string;
};

/** Computes the derived variables of a product's records. */
export interface Derivation {
  /** Names of the derived variables. */
  readonly names: readonly string[];
  /** The sorted names, as a record notes them. */
  readonly note: { readonly computed: readonly string[] };
  /** Names of the variables of the record that formulas read. */
  readonly inputs: readonly string[];
  /** A value of each derived variable. */
  readonly examples: PlainObject;
  /** Names of the attributes that formulas read. */
  readonly attributes: readonly string[];
  /** The inputs from the device's earlier records; absent if formulas read none. */
  readonly earlier?: EarlierInputs | undefined;
  /**
   * Returns the values by name, and why others are absent.
   * @param past what the device measured before a record at `ts` (Unix seconds)
   */
  compute(
    data: PlainObject,
    attribute: AttributeReader,
    past?: Past,
    ts?: number,
  ): { values: PlainObject; absent: Absent[] };
}

/** The inputs of formulas from earlier records. */
export interface EarlierInputs {
  /** Names of the measured variables whose earlier values they read. */
  readonly names: readonly string[];
  /** Whether they read the time since the record before. */
  readonly readsElapsed: boolean;
  /** Returns the values of these variables in what a device sent. */
  measured(data: PlainObject): [name: string, value: FormulaValue][];
}

/** Maximum number of steps of all formulas of a product, so that no record takes long. */
export const maxSteps = 1000;

/** Compiles the derived variables of a product. A formula at fault gives no values. */
export const compileDerivation = (declared: readonly Declared[], derived: readonly Derived[]): Derivation =>
  new Compilation(declared, derived).derivation();

/** A fault of a formula. `at` is its place in the formula, in UTF-16 units; absent if it is the whole. */
export interface FormulaFault extends Fault {
  at?: number | undefined;
}

/** Returns the faults of formulas, with paths that begin with the index of the variable. */
export const formulaFaults = (declared: readonly Declared[], derived: readonly Derived[]): FormulaFault[] =>
  new Compilation(declared, derived).faults;

/** A derived variable with its formula, and the derived variables that the formula reads. */
interface Compiled extends Derived {
  place: number;
  compute: Formula;
  reads: ReadonlySet<string>;
}

/** Returns the type of a variable's values in formulas. */
const formulaType = (type: VariableType): FormulaType =>
  type === VariableType.TXT ? 'text' : type === VariableType.BOOL ? 'boolean' : 'number';

const examples: Readonly<Record<FormulaType, FormulaValue>> = { number: 0, boolean: false, text: '' };

class Compilation {
  readonly faults: FormulaFault[] = [];
  /** Variables that formulas read, in the order of their places. */
  private readonly inputs = new Map<string, Declared & { place: number }>();
  /** Places of the attributes that formulas read. */
  private readonly attributes = new Map<string, number>();
  /** Variables whose earlier values formulas read. */
  private readonly earlier = new Map<string, Declared & { place: number }>();
  private elapsedPlace: number | undefined;
  private readonly compiled: Compiled[];

  constructor(
    declared: readonly Declared[],
    private readonly derived: readonly Derived[],
  ) {
    const variables = new Map(declared.map((variable) => [variable.name, variable]));
    const places = new Map(derived.map(({ name, type }, place) => [name, { place, type: formulaType(type) }]));
    const found = derived.flatMap((variable, index) => this.compile(variable, index, variables, places) ?? []);
    const steps = found.reduce((sum, { compute }) => sum + compute.steps, 0);
    if (steps > maxSteps)
      this.faults.push({ path: '', message: `must take at most ${maxSteps} steps in all; these take ${steps}` });
    this.compiled = steps > maxSteps ? [] : this.inOrder(found);
  }

  derivation(): Derivation {
    const { derived, compiled, elapsedPlace } = this;
    const inputs = [...this.inputs.values()];
    const earlier = [...this.earlier.values()];
    const attributes = [...this.attributes];
    const broken = derived.filter(({ name }) => compiled.every((each) => each.name !== name));
    return {
      names: derived.map(({ name }) => name),
      note: { computed: derived.map(({ name }) => name).toSorted() },
      inputs: inputs.map(({ name }) => name),
      examples: Object.fromEntries(derived.map(({ name, type }) => [name, examples[formulaType(type)]])),
      attributes: [...this.attributes.keys()],
      ...((earlier.length > 0 || elapsedPlace !== undefined) && {
        earlier: earlierInputs(earlier, elapsedPlace !== undefined),
      }),
      compute(data, attribute, past, ts) {
        const evaluation: Evaluation = { values: [] };
        for (const { name, type, place } of inputs) evaluation.values[place] = inputOf(type, valueOfName(data, name));
        for (const [name, place] of attributes) evaluation.values[place] = attribute(name);
        for (const { name, place } of earlier) evaluation.values[place] = past?.value(name);
        if (elapsedPlace !== undefined && ts !== undefined) evaluation.values[elapsedPlace] = past?.elapsed(ts);
        const values: [string, FormulaValue][] = [];
        const absent: Absent[] = broken.map(({ name }) => ({ variable: name, code: 'FORMULA' }));
        for (const { name, type, place, compute } of compiled) {
          evaluation.input = undefined;
          const value = compute.evaluate(evaluation);
          const fitting = value === undefined ? undefined : resultOf(type, value);
          evaluation.values[place] = fitting;
          if (fitting !== undefined) values.push([name, fitting]);
          else absent.push(absenceOf(name, value === undefined ? evaluation : undefined));
        }
        return { values: Object.fromEntries(values), absent };
      },
    };
  }

  private compile(
    variable: Derived,
    index: number,
    variables: ReadonlyMap<string, Declared>,
    places: ReadonlyMap<string, { place: number; type: FormulaType }>,
  ): Compiled | undefined {
    const reads = new Set<string>();
    const scope = {
      variable: (name: string) => {
        const other = places.get(name);
        if (other !== undefined) {
          reads.add(name);
          return other;
        }
        const input = variables.get(name);
        return input && { type: formulaType(input.type), place: this.inputPlace(input) };
      },
      attribute: (name: string) => this.attributePlace(name),
      previous: (name: string) => {
        const input = places.has(name) ? undefined : variables.get(name);
        return input && { type: formulaType(input.type), place: this.earlierPlace(input) };
      },
      elapsed: () => (this.elapsedPlace ??= this.nextPlace()),
    };
    try {
      const compute = compileFormula(variable.formula, formulaType(variable.type), scope);
      return { ...variable, place: index, compute, reads };
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error;
      this.faults.push({ path: `${index}.formula`, message: error.message, at: error.at });
      return undefined;
    }
  }

  /** Returns the place of an input's value, behind those of the derived variables. */
  private inputPlace(input: Declared): number {
    const known = this.inputs.get(input.name);
    if (known !== undefined) return known.place;
    const place = this.nextPlace();
    this.inputs.set(input.name, { ...input, place });
    return place;
  }

  private attributePlace(name: string): number {
    const place = this.attributes.get(name) ?? this.nextPlace();
    this.attributes.set(name, place);
    return place;
  }

  private earlierPlace(input: Declared): number {
    const place = this.earlier.get(input.name)?.place ?? this.nextPlace();
    this.earlier.set(input.name, { ...input, place });
    return place;
  }

  private nextPlace(): number {
    const elapsed = this.elapsedPlace === undefined ? 0 : 1;
    return this.derived.length + this.inputs.size + this.attributes.size + this.earlier.size + elapsed;
  }

  /** Orders variables so that each comes after those that its formula reads. Leaves out circles. */
  private inOrder(found: readonly Compiled[]): Compiled[] {
    const ordered: Compiled[] = [];
    const done = new Set(this.derived.flatMap(({ name }) => (found.some((each) => each.name === name) ? [] : [name])));
    for (let left = found; left.length > 0; ) {
      const ready = left.filter(({ reads }) => [...reads].every((name) => done.has(name)));
      if (ready.length === 0) {
        for (const { place } of left)
          this.faults.push({ path: `${place}.formula`, message: 'depends on itself, perhaps through others' });
        break;
      }
      for (const each of ready) done.add(each.name);
      ordered.push(...ready);
      left = left.filter(({ name }) => !done.has(name));
    }
    return ordered;
  }
}

const earlierInputs = (variables: readonly Declared[], readsElapsed: boolean): EarlierInputs => ({
  names: variables.map(({ name }) => name),
  readsElapsed,
  measured: (data) =>
    variables.flatMap(({ name, type }): [string, FormulaValue][] => {
      const value = inputOf(type, valueOfName(data, name));
      return value === undefined ? [] : [[name, value]];
    }),
});

/** Returns the value of a variable in formulas. Several values count as none. */
const inputOf = (type: VariableType, sent: PlainJson | undefined): FormulaValue | undefined => {
  const value = sent === undefined ? undefined : fittingValue(type, sent);
  if (value === undefined || typeof value === 'object') return undefined;
  // An INT64 beyond 2^53 is text. JSON has no negative zero.
  return formulaType(type) === 'number' ? Number(value) || 0 : (value as FormulaValue);
};

/** Returns a result as it is stored. JSON has no negative zero. */
const resultOf = (type: VariableType, value: FormulaValue): FormulaValue | undefined => {
  const plain = value === 0 ? 0 : value;
  const fitting = fittingValue(type, plain);
  return fitting === undefined ? undefined : plain;
};

const absenceOf = (variable: string, evaluation: Evaluation | undefined): Absent => ({
  variable,
  code: evaluation?.code ?? 'OUT_OF_RANGE',
  ...((evaluation?.code === 'MISSING' || evaluation?.code === 'WRONG_TYPE') &&
    evaluation.input !== undefined && { input: evaluation.input }),
});
