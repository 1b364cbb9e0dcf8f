/** What the log says of an error that a caller sees only as INTERNAL, or as UNAVAILABLE because PostgreSQL broke off. */
export const unforeseen = 'An error that was not foreseen.';
