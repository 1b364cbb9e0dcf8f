/**
 * Compiles a pattern in which `*` is any text, also none, and every other character is itself. The parts between the stars are
 * looked for once each, from the left: no text makes the search go back, as a regular expression would.
 */
export const globOf = (pattern: string): ((text: string) => boolean) => {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  const inner = others.filter((part) => part !== '');
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of inner) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
};
