/** Whether PostgreSQL can store a text. It accepts neither NUL nor lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Whether PostgreSQL can store all names and texts in a JSON value. */
export const isStorableJson = (value: unknown): boolean => {
  let isAll = true;
  JSON.stringify(value, (name, inner: unknown) => {
    isAll &&= isStorable(name) && (typeof inner !== 'string' || isStorable(inner));
    return inner;
  });
  return isAll;
};

/** Error message for a text that cannot be stored. */
export const unstorable = 'must not hold NUL or lone surrogates';
