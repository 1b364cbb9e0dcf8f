import type { Fault } from '#common/errors.js';

/**
 * The devices of a panel or a source: by identifiers, by tag or by product. A variable such as `$room` may replace
 * each.
 */
interface Choice {
  readonly devices?: readonly string[];
  readonly tag?: string;
  readonly product?: string;
}

/** Fields of a panel that depend on its kind. */
export interface PanelFields extends Choice {
  readonly kind: string;
  readonly source?: Choice;
  readonly sources?: readonly Choice[];
  readonly query?: { readonly products?: readonly string[] };
}

interface Variable {
  readonly name: string;
  readonly kind: string;
}

/** Returns a fault for each reference to a variable that the dashboard lacks or that has another kind. */
export function referenceFaults(variables: readonly Variable[], panels: readonly PanelFields[], path: string): Fault[] {
  const kinds = new Map(variables.map(({ name, kind }) => [`$${name}`, kind]));
  return panels.flatMap((panel, index) =>
    referencesOf(panel, `${path}.panels.${index}`).flatMap(({ value, kind, at }) => {
      if (!value.startsWith('$') || kinds.get(value) === kind) return [];
      return [{ path: at, message: `names no variable of kind ${kind} of this dashboard` }];
    }),
  );
}

interface Reference {
  readonly value: string;
  readonly kind: 'device' | 'tag' | 'product';
  readonly at: string;
}

const referencesOf = ({ source, sources = [], query, ...panel }: PanelFields, at: string): Reference[] => [
  ...ofChoice(panel, at),
  ...(source ? ofChoice(source, `${at}.source`) : []),
  ...sources.flatMap((each, index) => ofChoice(each, `${at}.sources.${index}`)),
  ...(query?.products ?? []).map(
    (value, index): Reference => ({ value, kind: 'product', at: `${at}.query.products.${index}` }),
  ),
];

const ofChoice = ({ devices = [], tag, product }: Choice, at: string): Reference[] => [
  ...devices.map((value, index): Reference => ({ value, kind: 'device', at: `${at}.devices.${index}` })),
  ...(tag === undefined ? [] : [{ value: tag, kind: 'tag' as const, at: `${at}.tag` }]),
  ...(product === undefined ? [] : [{ value: product, kind: 'product' as const, at: `${at}.product` }]),
];
