/** Returns the name of an operation or a field as words: "update team" for `updateTeam`. */
export const wordsOf = (name: string): string =>
  name.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (part) => ` ${part.length === 1 ? part.toLowerCase() : part}`);
