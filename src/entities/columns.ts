import { Type } from '@mikro-orm/core';
import { Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Extensions, Field, ID } from 'type-graphql';
import { EmailAddress, Serial, WebAddress } from './scalars.js';

/** How a published column differs from the usual one, which always has a value. */
export interface ColumnOptions {
  /** May be without a value: absent on REST, `null` in the graph. */
  nullable?: boolean;
  /** The value to store at every change of the row. */
  onUpdate?: () => unknown;
}

/** Marks a field that the graph has and REST must not show. */
export const GraphOnly = (): MethodDecorator & PropertyDecorator => Extensions({ graphOnly: true });

/** Says that REST shows a field, which the graph shows in a narrower type, as plain text or number (extension `restScalar`). */
export const RestScalar = (name: 'String' | 'Float'): MethodDecorator & PropertyDecorator =>
  Extensions({ restScalar: name });

/** Marks an operation that REST has and the graph, which says the same in another way, has not. */
export const RestOnly = (): MethodDecorator & PropertyDecorator => Extensions({ restOnly: true });

/**
 * Says that `null` is a value of this field, which is never absent: REST shows it.
 */
export const NullIsValue = (): PropertyDecorator => Extensions({ nullIsValue: true }) as PropertyDecorator;

/**
 * Says that REST shows a field in another type than the graph: a list item or a reference (contract, section 5). There
 * the field reads the value of its name from the row, without the graph's resolver (extension `restShape`: a type's name).
 */
export const RestShape = ({ name }: { name: string }): MethodDecorator & PropertyDecorator =>
  Extensions({ restShape: name });

/** The present time as it is stored and published: ISO 8601 in UTC, with milliseconds. */
export const now = (): string => new Date().toISOString();

/** A `timestamptz(3)` that stays text on our side: no Date is made on its way in or out. */
export class Timestamp extends Type<string, string> {
  override get runtimeType(): string {
    return 'string';
  }

  override getColumnType(): string {
    return 'timestamptz(3)';
  }
}

const column =
  (type: string | Type<unknown>, columnType: string, graphType: () => object) =>
  (description: string, { nullable = false, ...stored }: ColumnOptions = {}): PropertyDecorator =>
  (target, key) => {
    Property({ type, columnType, nullable, ...stored })(target, key as string);
    Field(graphType, { description, nullable })(target, key as string);
  };

/** Text, stored and published. */
export const text = column('string', 'text', () => String);
/** An e-mail address, stored and published. */
export const email = column('string', 'text', () => EmailAddress);
/** An address on the web, stored and published. */
export const url = column('string', 'text', () => WebAddress);
/** A serial number, stored and published. */
export const serial = column('string', 'text', () => Serial);
/** True or false, stored and published. */
export const flag = column('boolean', 'boolean', () => Boolean);
/** A time in UTC to the millisecond, stored and published; on our side always its ISO 8601 text. */
export const timestamp = column(new Timestamp(), 'timestamptz(3)', () => GraphQLDateTimeISO);
/** A list of texts, stored and published. */
export const texts = column('string[]', 'text[]', () => [String]);
/** The identifier of something else, stored and published. */
export const reference = column('uuid', 'uuid', () => ID);

/** When it was created. */
export const createdAt = () => timestamp('When it was created.');
/** When it was last changed. */
export const updatedAt = () => timestamp('When it was last changed.', { onUpdate: now });

/** The identifier of the thing itself: UUID version 7, made by the application. */
export const identifier = (): PropertyDecorator => (target, key) => {
  PrimaryKey({ type: 'uuid', columnType: 'uuid' })(target, key as string);
  Field(() => ID, { description: 'Identifier.' })(target, key as string);
};

/** One of a few words, stored as text and published as an enum. */
export const choice =
  (items: () => Record<string, string>, description: string): PropertyDecorator =>
  (target, key) => {
    Enum({ items, columnType: 'text' })(target, key as string);
    Field(items, { description })(target, key as string);
  };

/** A value that the reading query computes: published, never stored. */
export const computed =
  (type: () => object, description: string, { nullable = false }: ColumnOptions = {}): PropertyDecorator =>
  (target, key) => {
    Property({ type: 'unknown', persist: false })(target, key as string);
    Field(type, { description, nullable })(target, key as string);
  };
