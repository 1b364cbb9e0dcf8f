import sql, { type Sql } from 'sql-template-tag';
import { type DateReading } from '../date/date-input.js';
import { illegalArgument } from '../failure.js';
import { type Field, isNumeric } from '../field/field.js';
import { dateReading } from '../query/binding.js';
import { dateOf, decimal } from '../query/value-of.js';
import type { Input } from '../syntax/input.js';
import { scalarText } from '../syntax/value.js';
import type { FieldOptions } from './aggregation.js';
import type { Aggregate, Stage } from './stage.js';

/** The numbers of a field, as aggregates over them: those of all values where a record has several. */
export interface Numbers {
  readonly count: Aggregate;
  readonly sum: Aggregate;
  readonly avg: Aggregate;
  readonly min: Aggregate;
  readonly max: Aggregate;
  readonly sumOfSquares: Aggregate;
}

/**
 * The numbers that a metric is over: dates in milliseconds, booleans as 0 and 1, `missing` for records without any.
 * @returns undefined where nothing has the field and nothing stands in for it.
 */
export const numbersOf = (
  stage: Stage,
  kind: string,
  { field: path, missing }: FieldOptions,
  at: Input,
): Numbers | undefined => {
  const field = stage.field(path, at);
  if (field === undefined) return missing && constant(stage, decimal(scalarText(missing) ?? '', missing));
  if (!isNumeric(field)) throw unsupported(field, kind, at);
  const instead = missing && sql`${numberOf(field, missing, dateReading(stage.planning.now))}::float8`;
  return field.values === undefined ? single(stage, field, instead) : several(stage, field, instead);
};

/** A value of a request as a number of a field. */
export const numberOf = (field: Field, input: Input, reading: DateReading): number => {
  if (field.kind === 'date') return dateOf(input, false, reading);
  const text = scalarText(input) ?? '';
  if (field.kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true' ? 1 : 0;
  return decimal(text, input);
};

/** A field whose type an aggregation cannot be over. */
export const unsupported = (field: Field, kind: string, at: Input) =>
  illegalArgument(`Field [${field.path}] of type [${field.kind}] is not supported for aggregation [${kind}]`, at);

/** A field's one value as a double: dates in whole milliseconds. */
export const asDouble = (field: Field): Sql => {
  if (field.kind === 'date') return sql`floor(extract(epoch from ${field.value}) * 1000)::float8`;
  return field.storage === 'int8' ? sql`${field.value}::float8` : field.value;
};

const single = (stage: Stage, field: Field, instead: Sql | undefined): Numbers => {
  const number = asDouble(field);
  return ofOne(stage.level.perRecord(instead ? sql`coalesce(${number}, ${instead})` : number, [field], field.costly));
};

const ofOne = (value: Sql): Numbers => ({
  count: (where) => sql`count(${value})${where}`,
  sum: (where) => sql`sum(${value})${where}`,
  avg: (where) => sql`avg(${value})${where}`,
  min: (where) => sql`min(${value})${where}`,
  max: (where) => sql`max(${value})${where}`,
  sumOfSquares: (where) => sql`sum(${value} * ${value})${where}`,
});

const several = (stage: Stage, field: Field, instead: Sql | undefined): Numbers => {
  const values = instead ? sql`coalesce(nullif(${field.values!}, '{}'), array[${instead}])` : field.values!;
  const perRecord = (aggregate: Sql) =>
    stage.level.perRecord(sql`(select ${aggregate} from unnest(${values}::float8[]) as u(v))`, [field], true);
  const count = perRecord(sql`count(*)`);
  const sum = perRecord(sql`sum(u.v)`);
  const [min, max, squares] = [sql`min(u.v)`, sql`max(u.v)`, sql`sum(u.v * u.v)`];
  return {
    count: (where) => sql`sum(${count})${where}`,
    sum: (where) => sql`sum(${sum})${where}`,
    avg: (where) => sql`(sum(${sum})${where} / nullif(sum(${count})${where}, 0))::float8`,
    min: (where) => sql`min(${perRecord(min)})${where}`,
    max: (where) => sql`max(${perRecord(max)})${where}`,
    sumOfSquares: (where) => sql`sum(${perRecord(squares)})${where}`,
  };
};

const constant = (stage: Stage, value: number): Numbers => ofOne(stage.level.perRecord(sql`${value}::float8`, []));
