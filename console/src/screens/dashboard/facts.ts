import type { DashboardApplicationFragment } from '../../api/documents.js';
import type { Fact } from './data/context.js';

export type Application = DashboardApplicationFragment;

/** Returns the variables of an application's products by name. The first product that declares one describes it. */
export const factsOf = ({ products }: Application): Map<string, Fact> =>
  new Map(
    products.items
      .flatMap(({ variables }) => variables)
      .map(({ name, type, unit }): [string, Fact] => [name, { type, unit }])
      .toReversed(),
  );

/** Returns the tags of an application's devices. */
export const tagsOf = ({ devices }: Application): string[] =>
  [...new Set(devices.items.flatMap(({ tags }) => tags))].sort();

/** Returns what a variable of a kind can be, each with its title. */
export const optionsOf = (application: Application, kind: 'device' | 'tag' | 'product') =>
  kind === 'tag'
    ? tagsOf(application).map((tag) => ({ value: tag, title: tag }))
    : kind === 'device'
      ? application.devices.items.map(({ id, name, serial }) => ({ value: id, title: name ?? serial }))
      : application.products.items.map(({ id, name, version }) => ({ value: id, title: `${name} ${version}` }));
