/**
 * Compiles a pattern in which `*` is any text, including none, and every other character is itself. It searches the
 * parts between the stars once each, from the left, and never backtracks, unlike a regular expression.
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
