import {
  type ChangedDevicesFragment,
  type CommandedProductFragment,
  type FleetCommandsQuery,
  SendCommandsDocument,
  type SendCommandsMutationVariables,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import type { CommandChoice, commandIn } from '../device/command-form.js';
import { selectionOf, type Target } from './bulk.js';
import type { Matching } from './filter.js';

/** A command that products declare. */
export interface FleetChoice extends CommandChoice {
  /** Products that declare it with these parameters. */
  readonly productIds: readonly string[];
}

/** Maximum number of devices or products that a filter names. */
const mostNamed = 100;

/** Returns a filter that matches the chosen devices; undefined for too many chosen ones. */
export const matchingFor = (target: Target): Matching | undefined => {
  if (!('ids' in target)) return target;
  return target.ids.length > mostNamed ? undefined : { q: null, filter: { ids: [...target.ids] } };
};

/**
 * Returns the commands that products of the devices declare. Those that share a name and differ in parameters have the
 * names of their products in the label.
 */
export function fleetChoices(
  { products, devices }: Pick<FleetCommandsQuery, 'products' | 'devices'>,
  target: Target,
): FleetChoice[] {
  const only = 'ids' in target ? undefined : target.filter?.productIds;
  const listed = [...(products?.items ?? []), ...(devices?.items ?? []).flatMap(({ product }) => product ?? [])];
  const distinct = [...new Map(listed.map((product) => [product.id, product])).values()].filter(
    ({ id }) => only == null || only.includes(id),
  );
  const forms = Map.groupBy(distinct.flatMap(declarationsOf), ({ form }) => form);
  const names = Map.groupBy(forms.values(), ([first]) => first!.command.name);
  return [...names].flatMap(([name, variants]) =>
    variants.map((declarations) => ({
      label: variants.length === 1 ? name : `${name} (${declarations.map(({ product }) => product).join(', ')})`,
      name,
      parameters: declarations[0]!.command.parameters,
      productIds: declarations.map(({ productId }) => productId),
    })),
  );
}

const declarationsOf = ({ id, name, version, settings }: CommandedProductFragment) =>
  settings.commands.map((command) => ({
    productId: id,
    product: `${name} ${version}`,
    command,
    form: JSON.stringify([command.name, command.parameters]),
  }));

/** A command to many devices after its dry run. */
export interface CountedCommand {
  /** The arguments that send it. Sent again, they reach no device twice. */
  readonly sent: SendCommandsMutationVariables;
  /** Number of devices that were chosen. */
  readonly matched: number;
  /** Number of devices that get it. */
  readonly changed: number;
  /** Number of devices that are left out, because their product does not declare it. */
  readonly undeclared: number;
  /** Number of devices for which the service refuses it. Then no device gets it. */
  readonly blocked: number;
  /** Whether all that are blocked have too many commands waiting. */
  readonly isFull: boolean;
}

/**
 * Counts the devices that get a command. Devices whose product does not declare it are left out, if a filter can do
 * that.
 * @param choice undefined for a raw command
 * @throws GraphError when the service refuses the command
 */
export async function countCommand(
  target: Target,
  choice: FleetChoice | undefined,
  command: ReturnType<typeof commandIn>,
): Promise<CountedCommand> {
  const content = { ...command, key: newKey() };
  const declaring = choice && declaringIn(target, choice);
  const sent = { ...selectionOf(declaring ?? target), ...content };
  const [all, counted] = await Promise.all([
    sendCommands({ ...selectionOf(target), ...content, dryRun: true }),
    sendCommands({ ...sent, dryRun: true }),
  ]);
  return {
    sent,
    matched: all.matched,
    changed: counted.changed - counted.blocked,
    undeclared: all.matched - counted.matched,
    blocked: counted.blocked,
    isFull: choice === undefined || declaring !== undefined,
  };
}

/**
 * Sends a command to many devices. For more than 1,000 the service starts a job, which the result names.
 * @throws GraphError when the service refuses. When some devices are blocked, none gets it.
 */
export const sendCommands = async (sent: SendCommandsMutationVariables): Promise<ChangedDevicesFragment> =>
  (await ask(SendCommandsDocument, sent)).sendCommands;

/** Returns a filter for the devices of the products that declare a command; undefined if it would name too many. */
function declaringIn(target: Target, { productIds }: FleetChoice): Matching | undefined {
  const matching = matchingFor(target);
  if (matching === undefined || productIds.length > mostNamed) return undefined;
  return { q: matching.q, filter: { ...matching.filter, productIds: [...productIds] } };
}

/** Returns a random key. `crypto.randomUUID` is missing on pages that come over http. */
const newKey = (): string => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
