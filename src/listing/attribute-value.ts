import { ValidateBy } from 'class-validator';
import { GraphQLJSON } from 'graphql-scalars';
import { Field } from 'type-graphql';
import { maxAttributeBytes } from '#entities/attribute.js';

const isAttributeValue = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && Buffer.byteLength(value) <= maxAttributeBytes);

/** Declares the value of an attribute: a number, a boolean or a text. */
export const attributeValue =
  (description: string, { nullable = false } = {}): PropertyDecorator =>
  (target, key) => {
    Field(() => GraphQLJSON, { nullable, description })(target, key as string);
    const validator = {
      validate: isAttributeValue,
      defaultMessage: () => 'must be a number, a boolean or a text of at most 1 kB',
    };
    ValidateBy({ name: 'attributeValue', validator })(target, key);
  };
