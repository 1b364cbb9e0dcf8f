import { ArrayType, Type } from '@mikro-orm/core';
import { Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Extensions, Field, ID } from 'type-graphql';
import { EmailAddress, Serial, WebAddress } from './scalars.js';

/** Options of a published column. By default it always has a value. */
export interface ColumnOptions {
  /** Whether the column may have no value: then it is absent on REST and `null` in the graph. */
  nullable?: boolean;
  /** Returns the value to store at every change of the row. */
  onUpdate?: (row: object) => unknown;
  /** Whether a change is stored only if the column still has the value that was read. */
  concurrencyCheck?: boolean;
}

/** Marks a field that REST must not show. */
export const GraphOnly = (): MethodDecorator & PropertyDecorator => Extensions({ graphOnly: true });

/**
 * Makes REST show a field as plain text or a number, when its type in the graph is narrower (extension `restScalar`).
 */
export const RestScalar = (name: 'String' | 'Float'): MethodDecorator & PropertyDecorator =>
  Extensions({ restScalar: name });

/** Marks an operation or an argument that only REST has, because the graph expresses it differently. */
export const RestOnly = (): MethodDecorator & PropertyDecorator => Extensions({ restOnly: true });

/** Marks a field in which `null` is a value. It is never absent, so REST shows the `null`. */
export const NullIsValue = (): PropertyDecorator => Extensions({ nullIsValue: true }) as PropertyDecorator;

/**
 * Makes REST show a field in another type than the graph: a list item or a reference (contract, section 5). On REST the
 * field is read from the row by its name, without the graph's resolver (extension `restShape`: the name of a type).
 */
export const RestShape = ({ name }: { name: string }): MethodDecorator & PropertyDecorator =>
  Extensions({ restShape: name });

/** Returns the current time as it is stored and published: ISO 8601 in UTC, with milliseconds. */
export const now = (): string => new Date().toISOString();

/** A `timestamptz(3)` that is text in JavaScript: no Date is created when reading or writing it. */
export class Timestamp extends Type<string, string> {
  override get runtimeType(): string {
    return 'string';
  }

  override getColumnType(): string {
    return 'timestamptz(3)';
  }
}

/**
 * A `text[]`. MikroORM quotes only some texts: PostgreSQL would read the text `null` as no value, and drop white space
 * at the ends of others.
 */
class Texts extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string | null {
    return value && `{${value.map((each) => `"${each.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
  }
}

const column =
  (type: string | Type<unknown>, columnType: string, graphType: () => object) =>
  (description: string, { nullable = false, ...stored }: ColumnOptions = {}): PropertyDecorator =>
  (target, key) => {
    Property({ type, columnType, nullable, ...stored })(target, key as string);
    Field(graphType, { description, nullable })(target, key as string);
  };

/** Declares text, stored and published. */
export const text = column('string', 'text', () => String);
/** Declares an e-mail address, stored and published. */
export const email = column('string', 'text', () => EmailAddress);
/** Declares a web address, stored and published. */
export const url = column('string', 'text', () => WebAddress);
/** Declares a serial number, stored and published. */
export const serial = column('string', 'text', () => Serial);
/** Declares a boolean, stored and published. */
export const flag = column('boolean', 'boolean', () => Boolean);
/** Declares a time in UTC to the millisecond, stored and published. In JavaScript it is always ISO 8601 text. */
export const timestamp = column(new Timestamp(), 'timestamptz(3)', () => GraphQLDateTimeISO);
/** Declares a list of texts, stored and published. */
export const texts = column(new Texts(), 'text[]', () => [String]);
/** Declares the identifier of another object, stored and published. */
export const reference = column('uuid', 'uuid', () => ID);
/** Declares a list of identifiers, stored and published. */
export const identifiers = column(new Texts(), 'uuid[]', () => [ID]);

/** Declares the time of creation. */
export const createdAt = () => timestamp('Time of creation.');
/** Returns the current time, or a millisecond after an earlier change that has this time or a later one. */
const nowAfter = (row: object): string => {
  const { updatedAt } = row as { updatedAt: string };
  const time = now();
  return time > updatedAt ? time : new Date(Date.parse(updatedAt) + 1).toISOString();
};

/**
 * Declares the time of the last change, which differs after every change. The unit of work compares it with the time
 * that it read, and stores a change only if no other call changed the row meanwhile.
 */
export const updatedAt = () => timestamp('Time of the last change.', { onUpdate: nowAfter, concurrencyCheck: true });

/** Declares the object's own identifier: UUID version 7, created by the application. */
export const identifier = (): PropertyDecorator => (target, key) => {
  PrimaryKey({ type: 'uuid', columnType: 'uuid' })(target, key as string);
  Field(() => ID, { description: 'Identifier.' })(target, key as string);
};

/** Declares a value of an enum, stored as text and published as the enum. */
export const choice =
  (items: () => Record<string, string>, description: string): PropertyDecorator =>
  (target, key) => {
    Enum({ items, columnType: 'text' })(target, key as string);
    Field(items, { description })(target, key as string);
  };

/** Declares a value that the reading query computes: published, never stored. */
export const computed =
  (type: () => object, description: string, { nullable = false }: ColumnOptions = {}): PropertyDecorator =>
  (target, key) => {
    Property({ type: 'unknown', persist: false })(target, key as string);
    Field(type, { description, nullable })(target, key as string);
  };
