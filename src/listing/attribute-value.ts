import { ValidateBy } from 'class-validator';
import { GraphQLJSON } from 'graphql-scalars';
import { Field } from 'type-graphql';
import { isPlainValue, notPlain } from '#entities/attribute.js';

/** Declares the value of an attribute: a number, a boolean or a text. */
export const attributeValue =
  (description: string, { nullable = false } = {}): PropertyDecorator =>
  (target, key) => {
    Field(() => GraphQLJSON, { nullable, description })(target, key as string);
    const validator = {
      validate: isPlainValue,
      defaultMessage: () => notPlain,
    };
    ValidateBy({ name: 'attributeValue', validator })(target, key);
  };
