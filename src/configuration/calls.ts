/** Limits of one call: its items, and their characters as JSON, which stay below the size limit of a request. */
const atOnce = { items: 1000, characters: 250_000 };

/** Splits items into calls within the limits. */
export function callsOf<Item extends { readonly item: object }>(items: readonly Item[]): Item[][] {
  const calls: Item[][] = [];
  let characters = 0;
  for (const each of items) {
    const length = JSON.stringify(each.item).length;
    const last = calls.at(-1);
    if (last === undefined || last.length >= atOnce.items || characters + length > atOnce.characters) {
      calls.push([each]);
      characters = length;
    } else {
      last.push(each);
      characters += length;
    }
  }
  return calls;
}
