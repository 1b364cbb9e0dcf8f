import type { DashboardApplicationFragment, DashboardSubjectsFragment, VariableType } from '../../api/documents.js';
import type { Fact } from './data/context.js';
import type { Variable } from './document.js';

/** A site by its identifier, with the names of those above it. */
export interface Place {
  readonly id: string;
  readonly name: string;
}

/** Sites that the caller can read. */
interface Places {
  readonly sites?: readonly Place[];
}

export type Application = DashboardApplicationFragment & Places;

/** The products and the devices of an application, which the panels of its dashboard show. */
export type Subjects = DashboardSubjectsFragment & Places;

/** Returns sites with the names of those above them, in the order of the tree. */
export const placesOf = (sites: readonly { id: string; name: string; path: readonly string[] }[]): Place[] => {
  const names = new Map(sites.map(({ id, name }) => [id, name]));
  return sites
    .map(({ id, path }) => ({ id, name: path.map((above) => names.get(above) ?? '…').join(' / ') }))
    .sort((a, b) => a.name.localeCompare(b.name));
};

/** Whether values of a type are states instead of quantities. A variable that no product declares has no type. */
export const isState = (type: VariableType | undefined): boolean => type === 'BOOL' || type === 'TXT';

/** Returns the variables of an application's products by name, derived ones included, in the order of declaration. The first product that declares one describes it. */
export const factsOf = ({ products }: Subjects): Map<string, Fact> => {
  const facts = new Map<string, Fact>();
  for (const { name, ...fact } of products.items.flatMap(({ variables }) => variables))
    if (!facts.has(name)) facts.set(name, fact);
  return facts;
};

/** Returns the tags of an application's devices. */
export const tagsOf = ({ devices }: Subjects): string[] =>
  [...new Set(devices.items.flatMap(({ tags }) => tags))].sort();

/** Returns what a variable of a kind can be, each with its title. */
export const optionsOf = (subjects: Subjects, kind: Variable['kind']) =>
  kind === 'tag'
    ? tagsOf(subjects).map((tag) => ({ value: tag, title: tag }))
    : kind === 'site'
      ? (subjects.sites ?? []).map(({ id, name }) => ({ value: id, title: name }))
      : kind === 'device'
        ? subjects.devices.items.map(({ id, name, serial }) => ({ value: id, title: name ?? serial }))
        : subjects.products.items.map(({ id, name, version }) => ({ value: id, title: `${name} ${version}` }));
