import { isId } from '#entities/id.js';
import type { Field } from '#search/field/field.js';
import { type Bound, fieldsOf, type Predicate, type Value, type WildcardPart } from '#search/query/predicate.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Part } from '../engine.js';
import type { DeviceQuestions } from './device-question.js';
import type { EngineFields } from './engine-field.js';
import { allOf, anyOf, matchAll, matchNone, noneOf } from './query-part.js';

type Compile = {
  [K in Predicate['kind']]: (predicate: Extract<Predicate, { kind: K }>, compiler: PredicateCompiler) => Part;
};

/** Fields of identifiers. A value that is none, such as one in capitals, matches nothing. */
const identifiers = new Set(['_id', 'd', 'p', 'o']);

const compile: Compile = {
  all: () => matchAll,
  none: () => matchNone,
  and: ({ of }, { part }) => allOf(of.map(part)),
  or: ({ of }, { part }) => anyOf(of.map(part)),
  not: ({ of }, { part }) => noneOf([part(of)]),
  atLeast: ({ count, of }, { part }) => ({ bool: { should: of.map(part), minimum_should_match: count } }),
  in: ({ field, values }, { nameOf }) => {
    const name = nameOf(field);
    if (field.kind === 'date') return anyOf(values.map((value) => ({ term: { us: microsOf(value) } })));
    if (!identifiers.has(name)) return { terms: { [name]: values } };
    return { terms: { [name]: values.map((value) => `${value}`).filter(isId) } };
  },
  range: ({ field, lower, upper }, { nameOf }) => {
    const name = field.kind === 'date' ? 'us' : nameOf(field);
    if (name === '_id') throw unsupported(field);
    const ends: Record<string, Value> = {};
    for (const [bound, key, side] of [
      [lower, 'g', -1],
      [upper, 'l', 1],
    ] as const) {
      const end = bound && endOf(field, bound, side);
      if (end === unsatisfiable) return matchNone;
      if (end !== undefined) ends[`${key}t${bound!.inclusive ? 'e' : ''}`] = end;
    }
    if (Object.keys(ends).length === 0) return field.always ? matchAll : { exists: { field: name } };
    return { range: { [name]: ends } };
  },
  exists: ({ field }, { nameOf }) => (field.always ? matchAll : { exists: { field: nameOf(field) } }),
  existsUnder: ({ root, keys }, { fields }) => {
    const path = [root, ...keys].join('.');
    const unfit = [{ term: { ig: path } }, { prefix: { ig: `${path}.` } }];
    return anyOf([...fields.namesUnder(path).map((field) => ({ exists: { field } })), ...unfit]);
  },
  pattern: ({ field, pattern, caseInsensitive }, { nameOf }) => {
    const name = nameOf(field);
    if (name === '_id') throw unsupported(field);
    const folded = caseInsensitive ? { case_insensitive: true } : {};
    switch (pattern.kind) {
      case 'equal':
        return { term: { [name]: { value: pattern.text, ...folded } } };
      case 'prefix':
        return { prefix: { [name]: { value: pattern.text, ...folded } } };
      case 'wildcard':
        return { wildcard: { [name]: { value: pattern.parts.map(wildcardOf).join(''), ...folded } } };
      case 'regexp':
        return {
          regexp: {
            [name]: { value: pattern.text, ...(pattern.flags !== undefined && { flags: pattern.flags }), ...folded },
          },
        };
    }
  },
  near: ({ field }) => {
    throw unsupported(field);
  },
  box: ({ field }) => {
    throw unsupported(field);
  },
};

/** Translates predicates to the engine's form. Conditions on devices become questions to PostgreSQL. */
export class PredicateCompiler {
  constructor(
    readonly fields: EngineFields,
    readonly questions: DeviceQuestions,
  ) {}

  readonly nameOf = (field: Field): string => this.fields.nameOf(field);

  readonly part = (predicate: Predicate): Part => {
    const read = fieldsOf(predicate);
    // A whole predicate about nothing but devices becomes one question.
    if (read.length > 0 && predicate.kind !== 'existsUnder' && !hasUnder(predicate) && read.every(isOfDevice))
      return this.questions.ask(predicate);
    const found = (compile[predicate.kind] as (predicate: Predicate, compiler: PredicateCompiler) => Part)(
      predicate,
      this,
    );
    const older = 'field' in predicate ? this.fields.olderThan(predicate.field) : undefined;
    return older === undefined ? found : { bool: { filter: [found], must_not: [older] } };
  };
}

const isOfDevice = ({ ofDevice }: Field): boolean => ofDevice;

const hasUnder = (predicate: Predicate): boolean => {
  if (predicate.kind === 'existsUnder') return true;
  if (predicate.kind === 'not') return hasUnder(predicate.of);
  return 'of' in predicate && (predicate.of as readonly Predicate[]).some(hasUnder);
};

const unsupported = ({ path }: Field) =>
  illegalArgument(`Field [${path}] supports only whole values when records are on a cluster`);

/** Marks a bound of a range that no value can meet. */
const unsatisfiable: unique symbol = Symbol('nothing');

/** Returns a bound of a range; undefined if it restricts nothing. */
const endOf = ({ kind }: Field, { value }: Bound, side: -1 | 1): Value | undefined | typeof unsatisfiable => {
  if (kind === 'date') {
    if (value === 'infinity') return side === 1 ? undefined : unsatisfiable;
    if (value === '-infinity') return side === -1 ? undefined : unsatisfiable;
    return microsOf(value);
  }
  if (kind === 'keyword') return value;
  const number = Number(value);
  if (Number.isFinite(number)) return value;
  const open = number === side * Infinity;
  if (open) return undefined;
  return unsatisfiable;
};

/** Parses a timestamp to microseconds since 1970. */
export const microsOf = (value: Value): number => {
  const text = `${value}`;
  const [, whole = text, micros = ''] = /^(.*\.\d{3})(\d{3})Z$/.exec(text) ?? [];
  return Date.parse(micros === '' ? text : `${whole}Z`) * 1000 + Number(micros);
};

const wildcardOf = (part: WildcardPart): string =>
  typeof part === 'string' ? part : part.text.replaceAll(/[\\*?]/g, '\\$&');
