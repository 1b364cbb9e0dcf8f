/** Whether PostgreSQL can store a text. It accepts neither NUL nor lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Error message for a text that cannot be stored. */
export const unstorable = 'must not hold NUL or lone surrogates';
