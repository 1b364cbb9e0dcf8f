/** A field with the objects that it adds to a request's cost. */
export interface CountedField {
  /** Names of the field and of its parents, outermost first. */
  path: readonly string[];
  objects: number;
  /** Number of lists that the field returns, one per parent object. */
  calls: number;
  /** The argument that limits the lists, and the objects that one more item in each of them adds. */
  size?: { name: string; perItem: number };
}

/** Advises which field of a request costs most, and how small its lists must be for the request to pass. */
export function howToPass(fields: readonly CountedField[], total: number, allowed: number): string {
  const dearest = fields.reduce<CountedField | undefined>(
    (most, each) => (most === undefined || each.objects > most.objects ? each : most),
    undefined,
  );
  if (dearest === undefined) return 'Ask for less.';
  const named = `\`${dearest.path.join('.')}\` costs most`;
  const limited = dearest.size === undefined ? above(dearest, fields) : dearest;
  if (limited?.size === undefined) return `${named}: select less of it.`;
  const { name } = limited.size;
  const alone = fit(fields, total, allowed, (each) => each === limited, limited === dearest ? undefined : dearest);
  if (alone > 0) {
    const where = limited === dearest ? '' : ` on \`${limited.path.join('.')}\``;
    return `${named}: with \`${name}: ${alone}\`${where} it would pass.`;
  }
  const all = fit(fields, total, allowed, () => true);
  return all > 0 ? `${named}: with \`${name}: ${all}\` on every list it would pass.` : `${named}: select less of it.`;
}

/** Returns the nearest list at or above a field that an argument limits. */
const above = ({ path }: CountedField, fields: readonly CountedField[]): CountedField | undefined =>
  fields
    .filter((each) => each.size !== undefined && each.path.every((name, index) => path[index] === name))
    .reduce<CountedField | undefined>(
      (nearest, each) => (nearest === undefined || each.path.length > nearest.path.length ? each : nearest),
      undefined,
    );

/**
 * Returns the largest size of the chosen lists with which the request passes; 0 when there is none. `below` is a field
 * whose objects come with each item.
 */
function fit(
  fields: readonly CountedField[],
  total: number,
  allowed: number,
  isChosen: (field: CountedField) => boolean,
  below?: CountedField,
): number {
  const chosen = fields.filter((each) => each.size !== undefined && isChosen(each));
  const added = below === undefined ? 0 : below.objects / Math.max(1, below.calls);
  const sum = (size: number) =>
    chosen.reduce((most, { objects, calls, size: one }) => {
      const all = objects + (below?.objects ?? 0);
      return most + Math.min(all, size * ((one?.perItem ?? 0) + calls * added));
    }, 0);
  const rest = total - chosen.reduce((all, { objects }) => all + objects, below?.objects ?? 0);
  let [fits, fails] = [0, 1001];
  while (fails - fits > 1) {
    const size = Math.floor((fits + fails) / 2);
    if (rest + sum(size) <= allowed) fits = size;
    else fails = size;
  }
  return fits;
}
