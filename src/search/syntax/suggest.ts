/** Returns the closest names as a sentence to append: empty, or ` did you mean [x]?`. */
export const suggestion = (unknown: string, candidates: Iterable<string>): string => {
  const close = [...candidates]
    .map((name) => ({ name, score: similarity(unknown, name) }))
    .filter(({ score }) => score > 0.5)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  if (close.length === 0) return '';
  return close.length === 1 ? ` did you mean [${close[0]}]?` : ` did you mean any of [${close.join(', ')}]?`;
};

/**
 * Returns the similarity of two texts, from 0 to 1 for equal ones (Levenshtein's distance relative to the longer
 * length, as in Lucene).
 */
const similarity = (a: string, b: string): number => {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 1;
  if (longer > 100) return 0;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return 1 - previous[b.length]! / longer;
};
