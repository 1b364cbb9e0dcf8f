import { VariableType } from '#entities/enums.js';
import type { Variable } from '#entities/product.js';
import { columns, type Document, emptyDocument, type Panel } from './document.js';

/** A product of an application's devices. */
export interface UsedProduct {
  readonly id: string;
  readonly name: string;
  readonly variables: readonly Pick<Variable, 'name' | 'unit' | 'type'>[];
  /** Number of the application's devices that use it. */
  readonly used: number;
}

/**
 * Maximum numbers of products, and of numeric and state variables per product. With the map and the table, that makes
 * 23 panels.
 */
const most = { products: 3, numbers: 3, states: 2 };

/** A panel without its number and place. */
type Draft = Omit<Panel, 'id' | 'x' | 'y'> & Readonly<Record<string, unknown>>;

/** Makes a first dashboard of an application: figures in a row, then charts, states, a map and the newest values. */
export function suggestDocument(products: readonly UsedProduct[], isLocated: boolean): Document {
  const shown = products.slice(0, most.products);
  const drafts = [
    ...shown.flatMap((product) => figuresOf(product)),
    ...shown.flatMap((product) => chartsOf(product, shown.length > 1)),
    ...shown.flatMap((product) => statesOf(product, shown.length > 1)),
    ...(isLocated ? [{ kind: 'map', title: 'Map', w: 6, h: 10 }] : []),
    ...shown.slice(0, 1).flatMap(tableOf),
  ];
  return { ...emptyDocument, panels: placed(drafts) };
}

const sourceOf = ({ id }: UsedProduct, { name, unit }: UsedProduct['variables'][number]) => ({
  product: id,
  variable: `data.${name}`,
  ...(unit && { unit }),
});

const isState = ({ type }: Pick<Variable, 'type'>) => type === VariableType.BOOL || type === VariableType.TXT;

const numbersOf = ({ variables }: UsedProduct) => variables.filter((each) => !isState(each)).slice(0, most.numbers);

const titleOf = (name: string, product: UsedProduct, isOneOfSeveral: boolean) =>
  (isOneOfSeveral ? `${product.name}: ${name}` : name).slice(0, 200);

/** One device has a last value, several have an average. */
const aggregateOf = ({ used }: UsedProduct) => (used === 1 ? 'last' : 'avg');

const figuresOf = (product: UsedProduct): Draft[] =>
  numbersOf(product)
    .slice(0, 2)
    .map((variable) => ({
      kind: 'figure',
      title: titleOf(variable.name, product, true),
      w: 3,
      h: 4,
      source: sourceOf(product, variable),
      aggregate: aggregateOf(product),
      trend: true,
    }));

const chartsOf = (product: UsedProduct, isOneOfSeveral: boolean): Draft[] =>
  numbersOf(product).map((variable) => ({
    kind: 'series',
    title: titleOf(variable.name, product, isOneOfSeveral),
    w: 6,
    h: 8,
    sources: [sourceOf(product, variable)],
    draw: 'line',
  }));

const statesOf = (product: UsedProduct, isOneOfSeveral: boolean): Draft[] =>
  product.variables
    .filter(isState)
    .slice(0, most.states)
    .map((variable) => ({
      kind: 'timeline',
      title: titleOf(variable.name, product, isOneOfSeveral),
      w: 6,
      h: 6,
      sources: [sourceOf(product, variable)],
    }));

const tableOf = (product: UsedProduct): Draft[] =>
  product.variables.length === 0
    ? []
    : [
        {
          kind: 'table',
          title: `${product.name}: newest values`.slice(0, 200),
          w: 6,
          h: 10,
          sources: product.variables.slice(0, 8).map((variable) => sourceOf(product, variable)),
        },
      ];

/** Numbers the panels and places them in rows, from left to right. The panels of a row share its whole width. */
function placed(drafts: readonly Draft[]): Panel[] {
  const rows: Draft[][] = [];
  for (const draft of drafts) {
    const row = rows.at(-1);
    const width = row?.reduce((sum, { w }) => sum + w, draft.w);
    // A row holds panels of one height.
    if (row === undefined || width! > columns || row[0]!.h !== draft.h) rows.push([draft]);
    else row.push(draft);
  }
  let [count, y] = [0, 0];
  return rows.flatMap((row) => {
    const w = columns / row.length;
    const panels = row.map((draft, index) => ({ id: `p${(count += 1)}`, ...draft, w, x: index * w, y }));
    y += row[0]!.h;
    return panels;
  });
}
