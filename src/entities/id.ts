import { v7, validate } from 'uuid';

/** A new identifier: UUID version 7 (RFC 9562), so identifiers made later sort later. */
export const newId = (): string => v7();

/** Whether a text can be an identifier at all. What cannot is answered like one that does not exist. */
export const isId = (text: string): boolean => validate(text);
