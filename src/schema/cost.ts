import { Extensions } from 'type-graphql';

/** A field that counts as so many objects, whatever is selected below it: it is more work than it returns. */
export const Costs = (objects: number): MethodDecorator & PropertyDecorator => Extensions({ cost: objects });

/**
 * A list that has as many items as the named arguments have, multiplied; beside each, how many it is taken to have
 * where it is absent.
 */
export const Sized = (lengths: Readonly<Record<string, number>>): MethodDecorator & PropertyDecorator =>
  Extensions({ sized: lengths });

/** A list whose length the row tells: it is spent before the list is made. */
export const Counted = (lengthOf: (row: never) => number): MethodDecorator & PropertyDecorator =>
  Extensions({ lengthOf });

/** Items that a list is taken to have before its operation runs, where nothing says its length. */
export const usualLength = 10;

/** So many items of a list of scalars count as one object. */
export const scalarsOfObject = 20;
