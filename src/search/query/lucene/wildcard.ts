import type { WildcardPart } from '../predicate.js';

/** Splits a wildcard into parts. A backslash makes the next character a plain one. */
export const wildcardParts = (pattern: string): WildcardPart[] => {
  const parts: WildcardPart[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') parts.push({ text: plain });
    plain = '';
  };
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index]!;
    if (character === '*' || character === '?') {
      flush();
      parts.push(character);
    } else if (character === '\\' && index + 1 < characters.length) plain += characters[(index += 1)]!;
    else plain += character;
  }
  flush();
  return parts;
};
