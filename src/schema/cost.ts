import { Extensions } from 'type-graphql';

/** A field that counts as so many objects, whatever is selected below it: it is more work than it returns. */
export const Costs = (objects: number): MethodDecorator & PropertyDecorator => Extensions({ cost: objects });

/**
 * A list that has as many items as the named arguments have, multiplied; beside each, how many it is taken to have
 * where it is absent.
 */
export const Sized = (lengths: Readonly<Record<string, number>>): MethodDecorator & PropertyDecorator =>
  Extensions({ sized: lengths });
