import { Extensions } from 'type-graphql';

/**
 * Sets a fixed cost in objects for a field, regardless of the selection below it, because it does more work than its
 * result shows.
 */
export const Costs = (objects: number): MethodDecorator & PropertyDecorator => Extensions({ cost: objects });

/**
 * Declares a list whose length is the product of the lengths of the named arguments. `lengths` maps each argument to
 * the length that is assumed when it is absent.
 */
export const Sized = (lengths: Readonly<Record<string, number>>): MethodDecorator & PropertyDecorator =>
  Extensions({ sized: lengths });

/** Declares a list whose length the row determines. The length is charged before the list is created. */
export const Counted = (lengthOf: (row: never) => number): MethodDecorator & PropertyDecorator =>
  Extensions({ lengthOf });

/** Length assumed before execution for a list of unknown length. */
export const usualLength = 10;

/** Number of items in a list of scalars that count as one object. */
export const scalarsOfObject = 20;
