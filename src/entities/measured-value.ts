import { GraphQLJSON } from 'graphql-scalars';
import { createUnionType, Field, Float, ObjectType } from 'type-graphql';
import { VariableType } from './enums.js';

@ObjectType({ description: 'A number.' })
export class NumberValue {
  @Field(() => Float, { description: 'The number, with the precision of a double.' }) number: number;
  @Field(() => String, { description: 'All digits of the number. Only here is an INT64 beyond 2^53 exact.' })
  exact: string;

  constructor(value: number | string) {
    this.number = Number(value);
    this.exact = String(value);
  }
}

@ObjectType({ description: 'A boolean.' })
export class BooleanValue {
  @Field(() => Boolean, { description: 'The value: true or false.' }) boolean: boolean;

  constructor(value: boolean) {
    this.boolean = value;
  }
}

@ObjectType({ description: 'A value that is a text.' })
export class TextValue {
  @Field(() => String, { description: 'The text.' }) text: string;

  constructor(value: string) {
    this.text = value;
  }
}

/** An array of values, or a value that no product declares and that is neither number, boolean nor text. */
@ObjectType({
  description: 'An array of values, or an object that no product declares.',
})
export class JSONValue {
  @Field(() => GraphQLJSON, { description: 'The value, unchanged.' }) json: unknown;

  constructor(value: unknown) {
    this.json = value;
  }
}

/** A value in its own type. */
export type MeasuredValue = NumberValue | BooleanValue | TextValue | JSONValue;

/** A value in the type of its variable. */
export const MeasuredValueUnion = createUnionType({
  name: 'MeasuredValue',
  description: 'A value in the type of its variable: a number, a boolean, a text, or JSON if it is none of these.',
  types: () => [NumberValue, BooleanValue, TextValue, JSONValue] as const,
});

/**
 * Returns a value in the type of its variable, or in its own type when no product declares it. The value already fits
 * the type: see `records/typed-data`.
 */
export const measuredValue = (value: unknown, type?: VariableType | null): MeasuredValue => {
  if (typeof value === 'boolean') return new BooleanValue(value);
  if (typeof value === 'number') return new NumberValue(value);
  if (typeof value !== 'string') return new JSONValue(value);
  // A whole number beyond 2^53 is stored as its digits.
  return type == null || type === VariableType.TXT ? new TextValue(value) : new NumberValue(value);
};
