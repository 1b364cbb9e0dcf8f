const pattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Whether a text is an identifier as we write them, in small letters. */
export const isUuid = (text: string): boolean => pattern.test(text);
