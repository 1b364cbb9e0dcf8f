import { and, atLeastOf, none, not, or, type Predicate } from './predicate.js';

/**
 * Builds the condition that a predicate is false whatever the fields hold that the record lacks. A record that meets
 * neither the affirmation of a predicate nor its refutation does not decide. A field that no record has leaves every record undecided.
 */
export const refutationOf = (predicate: Predicate): Predicate => {
  switch (predicate.kind) {
    case 'all':
    case 'none':
      return none;
    case 'and':
      return or(predicate.of.map(refutationOf));
    case 'or':
      return and(predicate.of.map(refutationOf));
    case 'not':
      return affirmationOf(predicate.of);
    case 'atLeast':
      return atLeastOf(predicate.of.length - predicate.count + 1, predicate.of.map(refutationOf));
    case 'exists':
    case 'existsUnder':
      return not(predicate);
    default:
      return and([{ kind: 'exists', field: predicate.field }, not(predicate)]);
  }
};

/** Builds the condition that a predicate holds whatever the fields hold that the record lacks. */
export const affirmationOf = (predicate: Predicate): Predicate => {
  switch (predicate.kind) {
    case 'and':
      return and(predicate.of.map(affirmationOf));
    case 'or':
      return or(predicate.of.map(affirmationOf));
    case 'atLeast':
      return atLeastOf(predicate.count, predicate.of.map(affirmationOf));
    case 'not':
      return refutationOf(predicate.of);
    default:
      return predicate;
  }
};
