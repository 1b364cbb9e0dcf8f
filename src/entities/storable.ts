/** Whether PostgreSQL can hold a text: it takes neither NUL nor lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** What is said of a text that it cannot hold. */
export const unstorable = 'must not hold NUL or lone surrogates';
