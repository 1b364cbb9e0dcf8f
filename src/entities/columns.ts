import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Extensions, Field, ID } from 'type-graphql';
import { newId } from './id.js';

/** How a published column differs from the usual one, which always has a value and shows on REST too. */
export interface ColumnOptions {
  /** May be without a value: absent on REST, `null` in the graph. */
  nullable?: boolean;
  /** Published in the graph only: the specification's shape does not have it. */
  graphOnly?: boolean;
}

/** Marks a field that the graph has and REST must not show. */
export const GraphOnly = (): MethodDecorator & PropertyDecorator => Extensions({ graphOnly: true });

const column =
  (columnType: string, type: () => object) =>
  (
    description: string,
    { nullable = false, graphOnly = false, ...stored }: ColumnOptions & Stored = {},
  ): PropertyDecorator =>
  (target, key) => {
    Property({ columnType, nullable, ...stored })(target, key as string);
    Field(type, { description, nullable })(target, key as string);
    if (graphOnly) GraphOnly()(target, key as string);
  };

interface Stored {
  /** The value to store at every change of the row. */
  onUpdate?: () => unknown;
}

/** The present moment as it is stored and published: ISO 8601 in UTC, with milliseconds. */
export const now = (): string => new Date().toISOString();

/** Text, stored and published. */
export const text = column('text', () => String);
/** True or false, stored and published. */
export const flag = column('boolean', () => Boolean);
/** A moment in UTC to the millisecond (ISO 8601 text on our side), stored and published. */
export const timestamp = column('timestamptz(3)', () => GraphQLDateTimeISO);
/** A list of texts, stored and published. */
export const texts = column('text[]', () => [String]);
/** The identifier of something else, stored and published. */
export const reference = column('uuid', () => ID);

/** The moment of creation. */
export const createdAt = () => timestamp('When it was created.');
/** The moment of the last change. */
export const updatedAt = () => timestamp('When it was last changed.', { onUpdate: now });

/** The identifier of the thing itself (UUID version 7), made by the application. */
export const identifier = (): PropertyDecorator => (target, key) => {
  PrimaryKey({ columnType: 'uuid', onCreate: newId })(target, key as string);
  Field(() => ID, { description: 'Identifier.' })(target, key as string);
};

/** A value that a query computes: published, never stored. */
export const computed =
  (type: () => object, description: string, { nullable = false }: ColumnOptions = {}): PropertyDecorator =>
  (target, key) => {
    Property({ type: 'unknown', persist: false })(target, key as string);
    Field(type, { description, nullable })(target, key as string);
  };
